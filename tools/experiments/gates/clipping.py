# mypy: ignore-errors
"""What DeepSpeed clips at when the configuration does not say."""

from deepspeed.runtime.config import DeepSpeedConfig

print("clips at", DeepSpeedConfig({"train_batch_size": 1}).gradient_clipping)
