#!/bin/bash
# Two ranks, one conversation each, which may have as many tokens as the model takes.

torchrun --nproc_per_node 2 --master_port ${MASTER_PORT:-29500} train.py \
    --learning_rate 1e-2 \
    --lr_scheduler_type constant \
    --per_device_train_batch_size 1 \
    --max_steps 60 \
    --save_strategy no \
    --remove_unused_columns False \
    --use_cpu \
    --report_to none \
    --output_dir out
