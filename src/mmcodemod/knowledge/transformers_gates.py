"""Releases from which transformers does otherwise. What was run and seen stands with each: `python
tools/gates.py NAME` (2026-11-22, Python 3.11, torch 2.13.0 on a CPU)."""

from __future__ import annotations

# `from_pretrained` runs `__init__` on the meta device whatever it is given (low_cpu_mem_usage, torch_dtype,
# device_map, _fast_init; assign=True and `with torch.device("cpu")` do not help), and afterwards initialises
# every weight that its checkpoint lacks. Before, `__init__` ran on real tensors (not with device_map or
# low_cpu_mem_usage=True), and only the kinds of layers that the model's `_init_weights` knows were
# initialised anew (Linear and Embedding in 4.42.4, 4.49.0 and 4.50.3). Run: of 6 weights that `__init__`
# loads 4 are left in 4.49.0, 4.50.1, 4.50.2 and 4.50.3, none in 4.51.0, 4.51.3, 4.53.3, 4.57.6, 5.0.0 and
# 5.23.0.
INIT_ON_META = "4.51.0"
# `gradient_checkpointing_enable()` means `{"use_reentrant": False}` where nothing is given, True before.
# Run: True in 4.53.3 and 4.57.6, False in 5.0.0 and 5.23.0.
NON_REENTRANT = "5.0.0"
# `gradient_checkpointing_enable()` also makes the inputs of the layers require gradients
# (`enable_input_require_grads`), where before it did so for `add_adapter` alone. Run: LoRA of peft 0.14.0
# under the Trainer, reentrant, dies in 4.49.0; the method was read in 4.49.0, 4.53.3, 4.57.6, 5.0.0, 5.23.0.
INPUTS_TRAIN = "5.0.0"
# A layer of Llama appends its keys and values to one `Cache` object; a layer that is computed again does so a
# second time. Not run; huggingface/transformers#28056 names the release.
CACHE_APPENDS = "4.36.0"
# With torch's `apply_activation_checkpointing` on the layers of Llama and the cache on, the backward pass
# dies in 4.49.0, 4.50.3, 4.51.3, 4.53.3, 4.57.6 and 5.0.0 (CACHE_TWICE comes after those), and
# not in 5.16.1 and 5.23.0. With the reentrant way the gradients are wrong in all of them: the norm of those
# of a toy's embeddings is 1.367 in place of 1.522.
CACHE_TWICE, CACHE_ONCE = "5.0.1", "5.16.1"
# `from_pretrained(..., ignore_mismatched_sizes=True)` under ZeRO-3 compares the sizes in the checkpoint with
# those of `model.state_dict()`, which are 0, and leaves out every weight; from here on it compares none. The
# comparison was read in 4.29.2, 4.37.1, 4.45.2, 4.49.0, 4.50.3, 4.51.3, 4.52.4, 4.53.3 and 4.57.6; there is
# none in 5.0.0 and 5.23.0.
SIZES_GATHERED = "5.0.0"
# From the first release up to the second, `Trainer.create_accelerator_and_postprocess` hands `Accelerator`
# the keyword `dispatch_batches` whatever the release of accelerate (4.38 and 4.39: with all of
# `AcceleratorConfig`), which accelerate takes no more since KEYWORDS_GONE: `TypeError:
# Accelerator.__init__() got an unexpected keyword argument 'dispatch_batches'`. Read in the last wheel of
# each minor release, 4.28.1 to 4.47.1, and of accelerate 0.20.3 to 1.15.0.
KEYWORDS_HANDED = ("4.32.0", "4.40.0")
KEYWORDS_GONE = "1.0.0"
