#!/bin/bash
# The first two devices of this machine are taken. It has four (DeepSpeed's way to say so where there is no GPU).
export LOCAL_SIZE=4

deepspeed --include localhost:2,3 --master_port ${MASTER_PORT:-29500} train.py \
    --deepspeed_config ds_zero2.json \
    --steps 24
