"""Releases from which transformers does otherwise. `python tools/gates.py NAME` shows it with real releases;
what was seen, and when, stands with each."""

from __future__ import annotations

# `from_pretrained` runs `__init__` on the meta device whatever it is given (low_cpu_mem_usage, torch_dtype,
# device_map, _fast_init; assign=True and `with torch.device("cpu")` do not help), and afterwards initialises
# every weight that its checkpoint lacks. Before, `__init__` ran on real tensors (not with device_map or
# low_cpu_mem_usage=True), and only the kinds of layers that the model's `_init_weights` knows were
# initialised anew (Linear and Embedding in 4.42.4, 4.49.0 and 4.50.3).
INIT_ON_META = "4.51.0"
# `gradient_checkpointing_enable()` means `{"use_reentrant": False}` where nothing is given, True before.
NON_REENTRANT = "5.0.0"
