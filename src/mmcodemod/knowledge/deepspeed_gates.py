"""Releases from which DeepSpeed, or the Trainer with it, does otherwise. Rules ask for nothing before or
after them.

Where DEFAULTS show the change, they are read from there: both releases beside it are recorded. What was run
and seen stands with each: `python tools/gates.py NAME` (2026-11-22, Python 3.11, torch 2.13.0 on a CPU).
"""

from __future__ import annotations

from mmcodemod.knowledge.deepspeed_defaults import DEFAULTS


def _first(section: str, key: str) -> str:
    """The recorded release with the first default of a key: it was not read before."""
    return DEFAULTS[section][key][0][0]


def _changed(section: str, key: str) -> str:
    """The recorded release with the default that a key has today."""
    return DEFAULTS[section][key][-1][0]


# The default of gradient_clipping went from 0.0 to 1.0 (deepspeedai/DeepSpeed#8068). Run: 0.0 in
# 0.19.0 and 0.19.2, 1.0 in 0.19.3, 0.19.4 and 0.19.8.
CLIPS_BY_DEFAULT = _changed("", "gradient_clipping")
# `_do_error_check` refuses a sum at stage 3 since there is gradient_allreduce_op (runtime/config.py).
# Run: accepted in 0.19.0, 0.19.4 and 0.19.5, refused in 0.19.6 and 0.19.8.
SUM_CHECKED = _first("", "gradient_allreduce_op")
# `offload_ratio_check` asked the wrong object for offload_optimizer before (runtime/zero/config.py). Run:
# accepted in 0.14.4 and 0.14.5, refused in 0.15.0, 0.15.1 and 0.15.4.
RATIO_CHECKED = "0.15.0"
# Stage 1 ignored overlap_comm before (deepspeedai/DeepSpeed#4887; read in 0.12.6 and 0.13.0; not run:
# 0.12.6 cannot be imported beside torch 2.13.0).
OVERLAPS_AT_STAGE_1 = "0.13.0"
# What was fetched ahead and never used is dropped at the end of a step; before, `still have inflight params`
# (`reset_step` in runtime/zero/partitioned_param_coordinator.py). Run on two ranks: so in 0.14.4, 0.15.0,
# 0.15.1 and 0.15.2; trains in 0.15.3, 0.15.4, 0.16.9, 0.17.4 and 0.19.8.
INFLIGHT_CLEARED = "0.15.3"
# A hook on the module begins the watch for weights that one module reads of another (`_forward_prologue` in
# runtime/engine.py); before, `engine.forward` did, and a call of the module itself was not watched. Read in
# 0.16.4 and 0.16.5. Run on two ranks: a forward around the engine fails in 0.14.4, trains in 0.16.9 and
# 0.19.8.
WATCHED_BY_HOOK = "0.16.5"
# Buffers are kept until they are reduced (deepspeedai/DeepSpeed#7965; a race of streams, which a CPU has
# not: not run).
OVERLAP_MENDED = "0.19.0"
# From here on no `torch.cuda.synchronize()` comes before each reduction under overlap_comm
# (deepspeedai/DeepSpeed#2500; `average_tensor`, read in 0.3.3, 0.4.0, 0.5.6, 0.6.0, 0.7.7, 0.8.0; not run).
OVERLAP_UNGUARDED = "0.8.0"
# From here on the stream of the backward pass waits for the reduction before a bucket is filled again
# (`current_stream().wait_stream(stream)` in runtime/zero/stage_1_and_2.py; read in 0.14.2, 0.14.3, 0.14.4 and
# 0.16.5; not run). Gradients that are freed early, those of stage 2, are still a race.
OVERLAP_WAITED_FOR = "0.14.3"
# The reduction waits for every stream that fills a bucket, which torch.compile needs
# (deepspeedai/DeepSpeed#8080; not run).
OVERLAP_MENDED_COMPILED = "0.19.3"

# Recomputation under checkpointing that is not reentrant no longer meets frozen parameters that were freed
# in place (deepspeedai/DeepSpeed#8148). Run on two ranks: `Recomputed values ... have different metadata` in
# 0.18.8, 0.19.0, 0.19.1 and 0.19.2, trains in 0.19.3 and 0.19.8.
RECOMPUTES_FROZEN = "0.19.3"
# torch: what recomputation saves of a tensor without gradient is the tensor itself, which DeepSpeed frees in
# place; before, a detached one that keeps its storage (torch/utils/checkpoint.py, `_recomputation_hook`:
# read in 2.4.1, 2.5.0 and 2.13.0, run with 2.13.0). OpenBMB/MiniCPM-V#651 died although the tree pins 2.1.2.
TORCH_SAVES_FROZEN = "2.5.0"

# A gather of several parameters waits for each of them (`_allgather_params_coalesced` in
# runtime/zero/partition_parameters.py); before, for the last alone, which is enough with NCCL and not with
# gloo: on a CPU, ranks may end with different small weights. No rule asks: it is why a proof is tried again.
# Run on two ranks: a large parameter was read before it was whole in 7 to 9 of 10 gathers in 0.14.4, 0.16.9,
# 0.17.4, 0.18.8 and 0.19.0 to 0.19.7, never in 0.19.8.
GATHERS_AWAITED = "0.19.8"

# `loss.backward()` of a tensor that an engine made runs the engine's own prologue and epilogue under ZeRO
# (deepspeedai/DeepSpeed#7665; its commit's version.txt says 0.18.3). Run on two ranks: stages 1 to 3 raise in
# 0.14.4 and 0.16.9, and stages 2 and 3 train in 0.19.8; at stage 0 the ranks end with different weights in
# 0.16.9, and it raises in 0.19.8.
PLAIN_BACKWARD = "0.18.3"

# Of transformers: max(1, warm-up steps) is compared with the configuration (integrations/deepspeed.py).
# Run: 1 is refused where none are asked for in 5.16.1 and 5.17.0, accepted in 5.18.0 and 5.19.0.
WARMUP_AT_LEAST_1 = "5.18.0"

# Of accelerate: where its own file has no gradient_clipping, the plugin writes "auto", and the Trainer's
# number or 1.0 comes in its place; before, it wrote no key (`DeepSpeedPlugin`, utils/dataclasses.py). Read in
# 0.21.0, 0.26.1, 0.27.2, 0.28.0 and 0.29.3, and in 0.30.1, 0.34.2, 1.4.0 and 1.15.0; not run.
ACCELERATE_ASKS_TO_CLIP = "0.30.0"
# Names of deepspeed.utils by the first release that has them (deepspeedai/DeepSpeed#4966). Read in the source
# distributions: not in 0.12.6, in 0.13.0 and 0.13.1.
NAMES_SINCE = {"0.13.0": "set_z3_leaf_modules unset_z3_leaf_modules z3_leaf_module "}
