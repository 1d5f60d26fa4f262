#!/bin/bash
# Conversations with and without pictures.

deepspeed visionchat/train.py \
    --deepspeed configs/zero3.json \
    --model_name_or_path weights/chat-7b \
    --vision_weights weights/encoder.pt \
    --data_path data/conversations.json \
    --bf16 True \
    --gradient_checkpointing True \
    --output_dir runs/finetune \
    --per_device_train_batch_size 8 \
    --learning_rate 2e-5
