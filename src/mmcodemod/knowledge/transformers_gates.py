"""Releases of transformers from which something is otherwise, as far as a run has shown it."""

from __future__ import annotations

# `from_pretrained` runs `__init__` on the meta device whatever it is given (low_cpu_mem_usage, torch_dtype,
# device_map, _fast_init; assign=True and `with torch.device("cpu")` do not help), and afterwards initialises
# every weight that its checkpoint lacks. Before, `__init__` ran on real tensors (not with device_map or
# low_cpu_mem_usage=True), and only the kinds of layers that the model's `_init_weights` knows were
# initialised anew (Linear and Embedding in 4.42.4, 4.49.0 and 4.50.3).
INIT_ON_META = "4.51.0"
