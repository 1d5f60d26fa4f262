#!/bin/bash
# Two ranks, in float16 with a loss scale.

torchrun --nproc_per_node 2 --master_port ${MASTER_PORT:-29500} train.py \
    --steps 48 \
    --max_norm 0.5
