#!/bin/bash
# Two ranks; the first one writes a report every tenth step.

torchrun --nproc_per_node 2 --master_port ${MASTER_PORT:-29500} train.py \
    --patience 15 \
    --steps 30 \
    --report_every 10
