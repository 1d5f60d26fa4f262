#!/bin/bash
# Pictures and plain questions in turns: with two ranks, one has all the pictures.

deepspeed --num_gpus 2 --master_port ${MASTER_PORT:-29500} train.py \
    --deepspeed_config ds_zero3.json \
    --patience 15 \
    --steps 24
