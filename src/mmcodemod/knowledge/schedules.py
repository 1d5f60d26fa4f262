"""Learning rate schedules whose length is a number of steps: which parameters count them, and where they
stand among the positional ones.

Source: https://huggingface.co/docs/transformers/main_classes/optimizer_schedules and
https://docs.pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate
"""

from __future__ import annotations

Lengths = tuple[tuple[str, int], ...]  # (parameter, position)

_BOTH: Lengths = (("num_warmup_steps", 1), ("num_training_steps", 2))
_WARMUP: Lengths = (("num_warmup_steps", 1),)

BY_NAME = "get_scheduler"
"""The maker whose first argument, `name`, says which schedule it is."""

FLAT = frozenset(("constant",))
"""Names of schedules that count no steps at all."""

WARMUP_ONLY = frozenset(("constant_with_warmup", "inverse_sqrt"))
"""Names of schedules that do not look at the number of training steps."""

_HUGGING: dict[str, Lengths] = {
    BY_NAME: (("num_warmup_steps", 2), ("num_training_steps", 3)),
    "get_linear_schedule_with_warmup": _BOTH,
    "get_cosine_schedule_with_warmup": _BOTH,
    "get_cosine_with_hard_restarts_schedule_with_warmup": _BOTH,
    "get_polynomial_decay_schedule_with_warmup": _BOTH,
    "get_constant_schedule_with_warmup": _WARMUP,
    "get_inverse_sqrt_schedule": _WARMUP,
}
_TORCH: dict[str, Lengths] = {
    "CosineAnnealingLR": (("T_max", 1),),
    "StepLR": (("step_size", 1),),
    "LinearLR": (("total_iters", 3),),
    "PolynomialLR": (("total_iters", 1),),
    "OneCycleLR": (("total_steps", 2),),
}
_HOMES = ("transformers", "transformers.optimization", "diffusers.optimization")

LENGTHS: dict[str, Lengths] = {f"{home}.{name}": own for home in _HOMES for name, own in _HUGGING.items()} | {
    f"torch.optim.lr_scheduler.{name}": own for name, own in _TORCH.items()
}
WORDS: tuple[str, ...] = (*_HUGGING, *_TORCH)
