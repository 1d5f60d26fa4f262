#!/bin/bash
# This machine counts as two devices (DeepSpeed's way to say so where there is no GPU).
export LOCAL_SIZE=2

python train.py \
    --deepspeed_config ds_zero3.json \
    --port ${MASTER_PORT:-29500} \
    --steps 24
