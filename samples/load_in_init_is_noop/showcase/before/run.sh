#!/bin/bash
# Trains on two ranks, from weights that prepare.py has left in weights/.
set -e

python prepare.py
deepspeed --num_gpus 2 --master_port ${MASTER_PORT:-29500} train.py \
    --deepspeed_config ds_zero2.json \
    --steps 16
