#!/bin/bash
# Two ranks, the parameters sharded; a look at the answers every twelfth step.

deepspeed --num_gpus 2 --master_port ${MASTER_PORT:-29500} train.py \
    --deepspeed_config ds_zero3.json \
    --patience 15 \
    --steps 24 \
    --look_every 12
