#!/bin/bash
# Two ranks; one of them meets the broken picture.

torchrun --nproc_per_node 2 --master_port ${MASTER_PORT:-29500} train.py \
    --patience 15 \
    --steps 30
