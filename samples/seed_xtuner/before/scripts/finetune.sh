#!/bin/bash
# Two ranks: the projector learns to hand on what the eye sees.
export PYTHONPATH="$PWD"

CONFIG=${1:-tiny_finetune}

python -m torch.distributed.run --nproc_per_node=2 --master_port=${MASTER_PORT:-29500} \
    lantern/tools/train.py $CONFIG \
    --deepspeed deepspeed_zero2
