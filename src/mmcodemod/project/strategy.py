"""How a launch spreads parameters and gradients over ranks, and the line that decides it."""

from __future__ import annotations

from mmcodemod.model.context import Strategy
from mmcodemod.model.option import MISSING, UNKNOWN, Option
from mmcodemod.model.place import Place
from mmcodemod.project.deepspeed_config import stage_strategy

Decision = tuple[Strategy, Option]

_SEVERAL_PROCESSES = ("env.FORCE_TORCHRUN", "env.NPROC_PER_NODE", "env.NNODES")
_FSDP_VERSIONS = (
    "fsdp_config.version",
    "fsdp_config.fsdp_version",
    "accelerate.fsdp_config.fsdp_version",
    "accelerate.fsdp_version",
)
# Source: accelerate/utils/dataclasses.py (DistributedType) and `Accelerator.prepare_model` at 1.15
_DEVICES = ("CPU", "GPU", "HPU", "MLU", "MUSA", "NEURON", "NPU", "SDAA", "XPU")
_ACCELERATE_TYPES = {
    **{f"MULTI_{device}": Strategy.DDP for device in _DEVICES},
    "NO": Strategy.SINGLE,
    "FSDP": Strategy.FSDP1,
}


def strategy_of(kind: str, options: dict[str, Option], launcher: Place) -> Decision:
    """May: what the launch and its configuration say; code that shards by itself is not seen."""
    decided = stage_strategy(options) or _fsdp(options)
    if decided is not None:
        return decided
    if kind == "accelerate":
        return _accelerate(options, launcher)
    if kind == "console":
        return _console(options, launcher)
    return _plain(kind, launcher)


def _plain(kind: str, launcher: Place) -> Decision:
    match kind:
        case "deepspeed":
            return Strategy.UNKNOWN, Option(
                UNKNOWN, launcher, "the deepspeed launcher without a configuration"
            )
        case "configured":
            return Strategy.UNKNOWN, Option(
                UNKNOWN, launcher, "nothing in the tree launches this configuration"
            )
        case "tasks":
            return Strategy.UNKNOWN, Option(UNKNOWN, launcher, "one process for each task")
        case "torch":
            return Strategy.DDP, Option("torchrun", launcher, "torchrun without DeepSpeed or FSDP")
    return Strategy.SINGLE, Option("python", launcher, "one process")


def _console(options: dict[str, Option], launcher: Place) -> Decision:
    for name in _SEVERAL_PROCESSES:
        option = options.get(name)
        if option is not None and option.value not in (False, 0, "0", "false"):
            return Strategy.DDP, Option(option.value, option.at, name.removeprefix("env."))
    return Strategy.SINGLE, Option("console script", launcher, "one process unless the command starts more")


def _fsdp(options: dict[str, Option]) -> Decision | None:
    named = options.get("dist_config.name")  # LLaMA-Factory 1
    if named is not None and named.value == "fsdp2":
        return Strategy.FSDP2, named
    flag = options.get("fsdp", Option(MISSING))
    if flag.value is UNKNOWN:
        return Strategy.UNKNOWN, flag
    if not flag.known or not flag.value:
        return None
    if "no_shard" in str(flag.value).lower():
        return Strategy.DDP, flag
    return _fsdp_version(options, flag)


def _fsdp_version(options: dict[str, Option], flag: Option) -> Decision:
    second = next((options[k] for k in _FSDP_VERSIONS if k in options and options[k].value == 2), None)
    return (Strategy.FSDP2, second) if second else (Strategy.FSDP1, flag)


def _accelerate(options: dict[str, Option], launcher: Place) -> Decision:
    if flag := options.get("accelerate.use_fsdp"):
        return _fsdp_version(options, flag)
    if flag := options.get("accelerate.multi_gpu"):
        return Strategy.DDP, flag
    kind = options.get("accelerate.distributed_type")
    if kind is not None:  # read only where no flag says how to train
        # YAML reads the plain word NO as false
        strategy = _ACCELERATE_TYPES.get("NO" if kind.value is False else str(kind.value), Strategy.UNKNOWN)
        return _fsdp_version(options, kind) if strategy is Strategy.FSDP1 else (strategy, kind)
    return Strategy.UNKNOWN, Option(UNKNOWN, launcher, "accelerate's configuration is not in the tree")
