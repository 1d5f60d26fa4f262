"""Makes the small weights that training begins with."""

import sys

import torch
from transformers import LlamaConfig

from data import WORDS
from model import Captioner

torch.manual_seed(0)
config = LlamaConfig(
    vocab_size=WORDS, hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4
)
Captioner(config).save_pretrained(sys.argv[1])
