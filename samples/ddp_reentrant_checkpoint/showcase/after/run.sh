#!/bin/bash
# Two ranks, with little memory: the layers are checkpointed.

torchrun --nproc_per_node 2 --master_port ${MASTER_PORT:-29500} train.py \
    --steps 32
