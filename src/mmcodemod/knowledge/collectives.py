"""Calls that every rank of a group must make together, and library calls that hide such calls.
Sources: torch.distributed (2.x) reference, deepspeed.comm, accelerate.Accelerator, mmengine.dist,
pytorch_lightning 2.4 (strategies/strategy.py, core/module.py)."""

from __future__ import annotations

_TORCH = {
    "barrier": 0,
    "monitored_barrier": 0,
    "all_reduce": 2,
    "all_gather": 2,
    "all_gather_object": 2,
    "all_gather_into_tensor": 2,
    "broadcast": 2,
    "broadcast_object_list": 2,
    "gather": 3,
    "gather_object": 3,
    "reduce": 3,
    "reduce_scatter": 3,
    "reduce_scatter_tensor": 3,
    "scatter": 3,
    "scatter_object_list": 3,
    "all_to_all": 2,
    "all_to_all_single": 4,
}
"""Name -> the position of the argument that says which group waits."""
_MODULES = ("torch.distributed", "torch.distributed.distributed_c10d", "deepspeed.comm", "mmengine.dist")
_ACCELERATE = {
    "wait_for_everyone": "barrier",
    "gather": "all_gather",
    "gather_for_metrics": "all_gather",
    "gather_object": "all_gather_object",
    "reduce": "all_reduce",
    "broadcast": "broadcast",
    "broadcast_object_list": "broadcast_object_list",
    "pad_across_processes": "all_gather",
}

_LIGHTNING = ("lightning", "pytorch_lightning")
_STRATEGY = {
    "barrier": "barrier",
    "broadcast": "broadcast",
    "all_gather": "all_gather",
    "reduce": "all_reduce",
}
_TRAINERS = ("LightningModule.trainer", "Trainer()", "Trainer")

COLLECTIVES: dict[str, str] = {
    **{f"{module}.{name}": name for module in _MODULES for name in _TORCH},
    **{f"accelerate.utils.{name}": letter for name, letter in _ACCELERATE.items()},
    **{f"accelerate.Accelerator().{name}": letter for name, letter in _ACCELERATE.items()},
    **{f"accelerate.Accelerator.{name}": letter for name, letter in _ACCELERATE.items()},
    "accelerate.PartialState().wait_for_everyone": "barrier",
    **{
        f"{package}.{trainer}.strategy.{name}": letter
        for package in _LIGHTNING
        for trainer in _TRAINERS
        for name, letter in _STRATEGY.items()
    },
    **{f"{package}.LightningModule.all_gather": "all_gather" for package in _LIGHTNING},
    "torch_xla.core.xla_model.rendezvous": "barrier",
}
"""Library name -> what is exchanged."""

GROUP_AT: dict[str, int] = {
    **{
        f"{module}.{name}": position
        for module in ("torch.distributed", "torch.distributed.distributed_c10d", "deepspeed.comm")
        for name, position in _TORCH.items()
    },
    **{f"{package}.LightningModule.all_gather": 1 for package in _LIGHTNING},
}
"""Library name -> the position of the argument that says which group waits, where it may go without its name.
torch 2.x, distributed_c10d.py; deepspeed 0.19, comm/comm.py; pytorch_lightning 2.4, core/module.py."""

ALL_RANKS = "group.WORLD"
"""How the name of the group of all ranks ends."""

METHODS: dict[str, str] = {
    "wait_for_everyone": "barrier",
    "gather_for_metrics": "all_gather",
    "all_gather_object": "all_gather_object",
    "broadcast_object_list": "broadcast_object_list",
    "monitored_barrier": "monitored_barrier",
}
"""Methods whose name alone says so, where what they are called on is not known."""

IN_PLACE: frozenset[str] = frozenset(
    (
        "all_reduce",
        "broadcast",
        "broadcast_object_list",
        "all_gather",
        "all_gather_object",
        "all_gather_into_tensor",
    )
)
"""Collectives after which the first argument is the same on every rank of the group."""

SAME_RESULT: frozenset[str] = frozenset(("all_reduce", "broadcast", "all_gather", "all_gather_object"))
"""Collectives whose result is the same on every rank of the group."""

ALWAYS, DEEPSPEED, WRAPPED, SHARDED = "always", "deepspeed", "wrapped", "sharded"
LIGHTNING = "lightning"

HIDDEN: dict[str, dict[str, str]] = {
    "save_checkpoint": {"engine": DEEPSPEED, "lightning": LIGHTNING},
    "save_16bit_model": {"engine": SHARDED},
    "save_fp16_model": {"engine": SHARDED},
    "save_state": {"accelerator": WRAPPED},
    "get_state_dict": {"accelerator": SHARDED},
    "save_model": {"trainer": SHARDED, "accelerator": SHARDED},
}
"""Saves that wait for all ranks: method, of what, and when. SHARDED: under ZeRO-3 and FSDP, where they
gather the parameters. WRAPPED: under any DeepSpeed stage and FSDP. DEEPSPEED: at any stage. ALWAYS: with
several ranks. LIGHTNING: as its release and strategy say (lightning_saves.py). DeepSpeed 0.19: "all
processes must call this method and not just the process with rank 0" (engine.py: save_checkpoint has a
barrier of its own; save_16bit_model gathers at stage 3 alone). accelerate 1.15: Accelerator.save_state
calls save_checkpoint under DeepSpeed and gathers under FSDP; save_model calls get_state_dict.
transformers 5: Trainer.save_model calls Accelerator.get_state_dict."""

GATHERED, PARTED = "gathered", "parted"

GATHERS: dict[str, str] = {
    "GatheredParameters": GATHERED,
    "safe_get_full_grad": GATHERED,
    "safe_get_full_fp32_param": PARTED,
    "safe_get_full_optimizer_state": PARTED,
}
"""Calls of DeepSpeed that put parameters, or what the optimizer keeps of them, together from the shards of
all ranks, and when. GATHERED: under ZeRO-3. PARTED: under ZeRO-1 and ZeRO-2, too, which reduce over all ranks
(0.19: `utils/tensor_fragment.py: get_full_hp_param`; `safe_get_full_grad` returns `param.grad` where there is
one). zero3.rst: "these APIs must be called by all processes participating in the training"."""

NAMED_BY_ITSELF = "save_state"
"""Without `output_dir`, and with `automatic_checkpoint_naming`, it waits for every rank under any strategy
(accelerate 0.29 and later)."""
