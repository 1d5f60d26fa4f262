#!/bin/bash
# Two ranks. The configuration comes from a script that trained with the Trainer.

deepspeed --num_gpus 2 --master_port ${MASTER_PORT:-29500} train.py \
    --deepspeed_config ds_zero2.json \
    --steps 24
