#!/bin/bash
# Two ranks. The learning rate is to fall along a cosine.

deepspeed --num_gpus 2 --master_port ${MASTER_PORT:-29500} train.py \
    --deepspeed ds_zero2.json \
    --learning_rate 1e-2 \
    --lr_scheduler_type cosine \
    --warmup_steps 4 \
    --per_device_train_batch_size 8 \
    --max_steps 40 \
    --logging_steps 1 \
    --save_strategy no \
    --use_cpu \
    --report_to none \
    --output_dir out
