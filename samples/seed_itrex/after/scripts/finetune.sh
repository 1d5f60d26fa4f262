#!/bin/bash
# Instructions with and without pictures, rows as long as they are.
set -e

python prepare.py --folder weights
deepspeed --num_gpus 2 --master_port ${MASTER_PORT:-29500} train.py \
    --deepspeed configs/zero3.json \
    --model_name_or_path weights/language \
    --vision_tower weights/vit-tiny \
    --projector_type mlp2x_gelu \
    --data_path weights/rows.json \
    --group_by_modality_length True \
    --output_dir runs/finetune \
    --max_steps 24 \
    --per_device_train_batch_size 2 \
    --learning_rate 1e-2 \
    --lr_scheduler_type constant \
    --logging_steps 1 \
    --save_strategy no \
    --report_to none \
    --ddp_timeout 30 \
    --use_cpu
