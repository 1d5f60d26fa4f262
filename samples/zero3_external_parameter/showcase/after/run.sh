#!/bin/bash
# Trains on two ranks.

deepspeed --num_gpus 2 --master_port ${MASTER_PORT:-29500} train.py \
    --deepspeed ds_zero3.json \
    --use_cpu \
    --output_dir out \
    --max_steps 16 \
    --per_device_train_batch_size 4 \
    --learning_rate 1e-2 \
    --lr_scheduler_type constant \
    --logging_steps 1 \
    --save_strategy no \
    --report_to none \
    --remove_unused_columns False
