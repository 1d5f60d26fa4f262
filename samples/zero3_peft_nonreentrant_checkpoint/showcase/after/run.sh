#!/bin/bash
# Two ranks: the eye learns in front of a language model that is frozen.

deepspeed --num_gpus 2 --master_port ${MASTER_PORT:-29500} train.py --steps 16
