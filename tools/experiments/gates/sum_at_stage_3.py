# mypy: ignore-errors
"""Does DeepSpeed refuse to sum gradients at stage 3?"""

from deepspeed.runtime.config import DeepSpeedConfig

try:
    DeepSpeedConfig(
        {"train_batch_size": 1, "gradient_allreduce_op": "sum", "zero_optimization": {"stage": 3}}
    )
    print("accepted")
except ValueError as error:
    print("refused:", error)
