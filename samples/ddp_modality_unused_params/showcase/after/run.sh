#!/bin/bash
# Two ranks, each with its own questions.

torchrun --nproc_per_node 2 --master_port ${MASTER_PORT:-29500} train.py \
    --steps 32
