"""How many weights models have whose names do not say it, in the fewest that the name stands for.

Sources: the model cards on https://huggingface.co, and the papers named there (BERT arXiv:1810.04805, RoBERTa
arXiv:1907.11692, BART arXiv:1910.13461, T5 arXiv:1910.10683, GPT-2, BLOOM arXiv:2211.05100, phi-2).
"""

from __future__ import annotations

BY_NAME = {
    "bert-base": 1.1e8,
    "bert-large": 3.3e8,
    "bart-base": 1.3e8,
    "bart-large": 4.0e8,
    "t5-small": 6.0e7,
    "t5-base": 2.2e8,
    "t5-large": 7.3e8,
    "t5-xl": 2.8e9,
    "t5-xxl": 1.1e10,
    "gpt2-medium": 3.5e8,
    "gpt2-large": 7.7e8,
    "gpt2-xl": 1.5e9,
    "phi-2": 2.7e9,
}
"""By a part of the name; of several parts that fit, the longest counts."""

SMALLEST = 1.0e8
"""What nearly every model that is trained in shards has: BERT-base has 1.1e8 weights."""

EMBEDDINGS = ((6e9, 1.3e8), (1e9, 6.5e7), (0.0, 2e7))
"""From how many weights on a model has an embedding of so many: 32,000 words by 4,096 numbers in the smallest
of 7B, by 2,048 in TinyLlama 1.1B, 30,522 by 768 in BERT-base."""
