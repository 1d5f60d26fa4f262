#!/bin/bash
# Two ranks. The batch sizes are those of one.

deepspeed --num_gpus 2 --master_port ${MASTER_PORT:-29500} train.py \
    --deepspeed_config ds_zero2.json \
    --steps 64
