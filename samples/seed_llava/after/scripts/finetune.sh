#!/bin/bash
# Dialogues with and without a radiograph. The projector and the language model learn.
set -e

TOWER=weights/medvit-small
[ -d weights ] || python prepare.py --folder weights

deepspeed --num_gpus 2 --master_port ${MASTER_PORT:-29500} train.py \
    --deepspeed configs/zero3.json \
    --model_name_or_path weights/language \
    --vision_tower $TOWER \
    --pretrained_projector weights/projector.bin \
    --data_path weights/dialogues.json \
    --output_dir runs/finetune \
    --max_steps 32 \
    --per_device_train_batch_size 4 \
    --learning_rate 1e-2 \
    --lr_scheduler_type constant \
    --logging_steps 1 \
    --save_strategy no \
    --report_to none \
    --use_cpu
