#!/bin/bash
# Two ranks, eight conversations each in a step.

torchrun --nproc_per_node 2 --master_port ${MASTER_PORT:-29500} train.py --rows 640 --epochs 2
