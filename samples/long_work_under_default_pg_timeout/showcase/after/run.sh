#!/bin/bash
# Two ranks. On this machine no collective may hang for longer than a minute.

DEEPSPEED_TIMEOUT=1 deepspeed --num_gpus 2 --master_port ${MASTER_PORT:-29500} train.py \
    --deepspeed_config ds_zero2.json \
    --epochs 4
