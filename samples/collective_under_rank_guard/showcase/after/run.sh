#!/bin/bash
# Two ranks; a checkpoint every eighth step.

torchrun --nproc_per_node 2 --master_port ${MASTER_PORT:-29500} train.py \
    --patience 10 \
    --steps 32 \
    --save_every 8
