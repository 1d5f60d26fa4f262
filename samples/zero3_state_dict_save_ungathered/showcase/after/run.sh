#!/bin/bash
# Two ranks train, write the weights, and test what was written.

accelerate launch --config_file accelerate.yaml --main_process_port ${MASTER_PORT:-29500} train.py --steps 32
