#!/bin/bash
# Two ranks, captions alone.
export PYTHONPATH="$PWD"

CONFIG=${1:-tiny_pretrain}

python -m torch.distributed.run --nproc_per_node=2 --master_port=${MASTER_PORT:-29500} \
    lantern/tools/train.py $CONFIG \
    --deepspeed deepspeed_zero2
