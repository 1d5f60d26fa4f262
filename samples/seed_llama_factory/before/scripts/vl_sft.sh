#!/bin/bash
set -e

NPROC_PER_NODE=${NPROC_PER_NODE:-2}

MODEL=models/tiny
[ -f $MODEL/model.safetensors ] || PYTHONPATH=src python scripts/make_tiny.py $MODEL

python -m torch.distributed.run \
    --nproc_per_node $NPROC_PER_NODE \
    --master_port ${MASTER_PORT:-29500} \
    src/train.py examples/vl_sft_z2.yaml
