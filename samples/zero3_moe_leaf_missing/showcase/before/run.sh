#!/bin/bash
# Two ranks; which experts a rank needs depends on the pictures of its batch.

deepspeed --num_gpus 2 --master_port ${MASTER_PORT:-29500} train.py \
    --deepspeed_config ds_zero3.json \
    --steps 24
