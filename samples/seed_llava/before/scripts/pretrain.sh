#!/bin/bash
# Reports, each with its radiograph. Only the projector learns.
set -e

TOWER=weights/medvit-small
[ -d weights ] || python prepare.py --folder weights

deepspeed --num_gpus 2 --master_port ${MASTER_PORT:-29500} train.py \
    --deepspeed configs/zero2.json \
    --model_name_or_path weights/language \
    --vision_tower $TOWER \
    --tune_projector_only True \
    --data_path weights/reports.json \
    --output_dir runs/pretrain \
    --max_steps 32 \
    --per_device_train_batch_size 4 \
    --learning_rate 3e-2 \
    --lr_scheduler_type constant \
    --logging_steps 1 \
    --save_strategy no \
    --report_to none \
    --use_cpu
