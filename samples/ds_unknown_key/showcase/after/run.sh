#!/bin/bash
# Two ranks, gradients and optimizer sharded.

deepspeed --num_gpus 2 --master_port ${MASTER_PORT:-29500} train.py \
    --deepspeed_config ds_zero2.json \
    --steps 24
