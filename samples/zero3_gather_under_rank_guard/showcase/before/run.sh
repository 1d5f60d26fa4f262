#!/bin/bash
# Two ranks, the parameters sharded; the head is kept every twelfth step.

deepspeed --num_gpus 2 --master_port ${MASTER_PORT:-29500} train.py \
    --deepspeed_config ds_zero3.json \
    --patience 15 \
    --steps 24 \
    --save_every 12
