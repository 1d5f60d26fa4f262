#!/bin/bash
# Two ranks, each with its share of the pairs.

torchrun --nproc_per_node 2 --master_port ${MASTER_PORT:-29500} train.py \
    --pairs 240 \
    --seed 7
