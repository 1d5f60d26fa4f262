#!/bin/bash
# Two ranks. The Trainer is told to clip at 0.5.

deepspeed --num_gpus 2 train.py \
    --deepspeed configs/zero2.json \
    --max_grad_norm 0.5 \
    --per_device_train_batch_size 4 \
    --max_steps 4 \
    --report_to none \
    --output_dir out
