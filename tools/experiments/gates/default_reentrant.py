# mypy: ignore-errors
"""What does transformers checkpoint with when `gradient_checkpointing_enable()` is told nothing?"""

from transformers import LlamaConfig, LlamaForCausalLM

CONFIG = LlamaConfig(
    vocab_size=16, hidden_size=8, intermediate_size=8, num_hidden_layers=1, num_attention_heads=2
)
model = LlamaForCausalLM(CONFIG)
model.gradient_checkpointing_enable()
holders = [m for m in model.modules() if hasattr(m, "_gradient_checkpointing_func")]
print("use_reentrant:", {m._gradient_checkpointing_func.keywords["use_reentrant"] for m in holders})
