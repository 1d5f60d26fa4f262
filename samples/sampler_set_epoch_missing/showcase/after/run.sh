#!/bin/bash
# Two ranks, three epochs.

torchrun --nproc_per_node 2 --master_port ${MASTER_PORT:-29500} train.py \
    --epochs 3
