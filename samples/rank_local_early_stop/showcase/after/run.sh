#!/bin/bash
# Two ranks; one of them is content before the other.

torchrun --nproc_per_node 2 --master_port ${MASTER_PORT:-29500} train.py \
    --patience 15 \
    --enough 0.2 \
    --steps 60
