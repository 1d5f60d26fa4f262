"""A small language model."""

from transformers import LlamaConfig, LlamaForCausalLM

from data import WORDS


def build():
    config = LlamaConfig(
        vocab_size=WORDS, hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4,
        eos_token_id=None, pad_token_id=0, use_cache=False
    )
    return LlamaForCausalLM(config)
