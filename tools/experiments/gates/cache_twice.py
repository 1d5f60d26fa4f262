# mypy: ignore-errors
"""Does a layer that torch computes again append to the cache of the model a second time?"""

import functools

import torch
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import (
    CheckpointImpl,
    apply_activation_checkpointing,
    checkpoint_wrapper,
)
from torch.utils.checkpoint import CheckpointError
from transformers import LlamaConfig, LlamaForCausalLM
from transformers.models.llama.modeling_llama import LlamaDecoderLayer


def is_layer(module):
    return isinstance(module, LlamaDecoderLayer)


def trained(way, use_cache):
    """The norm of the gradients of the embeddings after one backward pass."""
    torch.manual_seed(0)
    model = LlamaForCausalLM(
        LlamaConfig(
            vocab_size=50, hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4
        )
    )
    model.config.use_cache = use_cache
    model.train()
    wrapper = functools.partial(checkpoint_wrapper, checkpoint_impl=way)
    apply_activation_checkpointing(model, checkpoint_wrapper_fn=wrapper, check_fn=is_layer)
    words = torch.randint(0, 50, (2, 7))
    try:
        model(input_ids=words, labels=words).loss.backward()
    except CheckpointError:
        return "dies"
    return f"{model.model.embed_tokens.weight.grad.norm():.3f}"


for way in (CheckpointImpl.NO_REENTRANT, CheckpointImpl.REENTRANT):
    print(f"{way.name}: {trained(way, True)} with the cache, {trained(way, False)} without")
