# mypy: ignore-errors
"""Does DeepSpeed refuse to offload a part of the optimizer below stage 3?"""

from deepspeed.runtime.config import DeepSpeedConfig

OFFLOAD = {"device": "cpu", "ratio": 0.5}
try:
    DeepSpeedConfig({"train_batch_size": 1, "zero_optimization": {"stage": 2, "offload_optimizer": OFFLOAD}})
    print("accepted")
except (AssertionError, ValueError) as error:
    print("refused:", str(error).replace("\n", " ")[:200])
