#!/bin/bash
cd "$(dirname "$0")"

GPUS_PER_NODE=2
NNODES=1
NODE_RANK=0
MASTER_ADDR=localhost
MASTER_PORT=${MASTER_PORT:-6001}

MODEL="tiny"
# Adapters and a language model that trains exclude each other: see finetune_lora.sh.
TRAIN_LLM=false

DISTRIBUTED_ARGS="
    --nproc_per_node $GPUS_PER_NODE \
    --nnodes $NNODES \
    --node_rank $NODE_RANK \
    --master_addr $MASTER_ADDR \
    --master_port $MASTER_PORT
"

[ -d $MODEL/weights ] || python make_tiny.py $MODEL

python -m torch.distributed.run $DISTRIBUTED_ARGS finetune.py \
    --model_path $MODEL/weights \
    --train_llm $TRAIN_LLM \
    --train_eye true \
    --remove_unused_columns false \
    --label_names "labels" \
    --max_steps 24 \
    --output_dir out/full \
    --logging_strategy "steps" \
    --logging_steps 1 \
    --per_device_train_batch_size 4 \
    --gradient_accumulation_steps 1 \
    --save_strategy "no" \
    --learning_rate 1e-2 \
    --adam_beta2 0.95 \
    --warmup_steps 2 \
    --lr_scheduler_type "cosine" \
    --gradient_checkpointing true \
    --deepspeed ds_zero3.json \
    --use_cpu \
    --report_to "none"
