#!/bin/bash
# Two ranks; the micro-batch of the configuration was too large for this machine.

deepspeed --num_gpus 2 --master_port ${MASTER_PORT:-29500} train.py \
    --deepspeed configs/zero2.json \
    --optim sgd \
    --learning_rate 0.5 \
    --lr_scheduler_type constant \
    --per_device_train_batch_size 4 \
    --max_steps 24 \
    --logging_steps 1 \
    --save_strategy no \
    --use_cpu \
    --report_to none \
    --output_dir out
