#!/bin/bash
# Two ranks. One of the files is from another camera.

torchrun --nproc_per_node 2 --master_port ${MASTER_PORT:-29500} train.py \
    --steps 48
