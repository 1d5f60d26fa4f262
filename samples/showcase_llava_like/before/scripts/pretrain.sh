#!/bin/bash
# Captions only: every sample has a picture.

deepspeed visionchat/train.py \
    --deepspeed configs/zero2.json \
    --model_name_or_path weights/chat-7b \
    --vision_weights weights/encoder.pt \
    --tune_projector_only True \
    --data_path data/captions.json \
    --bf16 True \
    --output_dir runs/pretrain \
    --per_device_train_batch_size 32 \
    --learning_rate 1e-3
