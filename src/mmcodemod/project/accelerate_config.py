"""`accelerate launch`: its YAML file and its own flags, as options "accelerate.<key>"."""

from __future__ import annotations

from mmcodemod.facts.node import Node
from mmcodemod.model.option import UNKNOWN, Option
from mmcodemod.project.deepspeed_config import STAGE
from mmcodemod.project.flags import node_options
from mmcodemod.project.paths import Where
from mmcodemod.project.sources import Sources

PREFIX = "accelerate."
UNREAD = "accelerate.unread"  # a DeepSpeed file, by its path, that a launch is given and does not turn on
_INLINE = "accelerate.deepspeed_config."
_DEEPSPEED = "accelerate.deepspeed_"  # what only a run with DeepSpeed reads
_USE_DEEPSPEED = "use_deepspeed"
# Flags of which accelerate takes one (`_validate_launch_command`, read in 0.28, 1.4, 1.7 and 1.15); only
# where none is given, the file's `distributed_type` counts.
_WAYS = ("multi_gpu", "tpu", "tpu_cluster", _USE_DEEPSPEED, "use_fsdp", "use_megatron_lm", "cpu")

DEEPSPEED_KEYS = {
    "zero_stage": STAGE,
    "gradient_clipping": "deepspeed.gradient_clipping",
    "gradient_accumulation_steps": "deepspeed.gradient_accumulation_steps",
    "offload_optimizer_device": "deepspeed.zero_optimization.offload_optimizer.device",
    "offload_param_device": "deepspeed.zero_optimization.offload_param.device",
    "zero3_save_16bit_model": "deepspeed.zero_optimization.stage3_gather_16bit_weights_on_model_save",
}


def accelerate_options(
    sources: Sources, where: Where, launcher: dict[str, Option]
) -> tuple[dict[str, Option], str]:
    """Options of `accelerate launch`, and the path of its file ("" when none is in the tree).

    `launcher` holds the flags before the script; they win over the file.
    """
    named = launcher.get("config_file")
    found = where.resolve(named.value) if named and isinstance(named.value, str) else None
    root = sources.root(found.path) if found else None
    options = node_options(root, found.path, PREFIX) if root and found else {}
    options |= {PREFIX + k: o for k, o in launcher.items() if k != "config_file"}
    read = _switched(options, launcher) | _unread(options, launcher, where)
    return read, found.path if found and root else ""


def file_options(root: Node, path: str) -> dict[str, Option]:
    """Options of a file of accelerate alone."""
    return _switched(node_options(root, path, PREFIX), {})


def _switched(options: dict[str, Option], launcher: dict[str, Option]) -> dict[str, Option]:
    """With DeepSpeed's own keys where the launch turns DeepSpeed on; else without all that is read only then:
    `--deepspeed_config_file` alone turns nothing on."""
    if _turns_on(options, launcher):
        return _with_deepspeed(options)
    return {name: option for name, option in options.items() if not name.startswith(_DEEPSPEED)}


def _unread(options: dict[str, Option], launcher: dict[str, Option], where: Where) -> dict[str, Option]:
    """The DeepSpeed file that is named in vain, as `UNREAD`."""
    named = named_deepspeed(options)
    if named is None or _turns_on(options, launcher):
        return {}
    found = where.resolve(named.value) if isinstance(named.value, str) else None
    return {UNREAD: Option(found.path, named.at) if found else named}


def _turns_on(options: dict[str, Option], launcher: dict[str, Option]) -> bool:
    """Does the launch show that DeepSpeed trains? What the user's own configuration may say does not show."""
    ways = [name for name in _WAYS if name in launcher and launcher[name].value is not False]
    if ways:
        return _USE_DEEPSPEED in ways
    kind = options.get(PREFIX + "distributed_type")
    if kind is not None:
        return str(kind.value).upper() == "DEEPSPEED"
    return any(name.startswith(_INLINE) for name in options)


def _with_deepspeed(options: dict[str, Option]) -> dict[str, Option]:
    """With what the file or the flags say under DeepSpeed's own keys."""
    inline = {name: _inline(options, key) for key, name in DEEPSPEED_KEYS.items()}
    return {**options, **{name: option for name, option in inline.items() if option is not None}}


def _inline(options: dict[str, Option], key: str) -> Option | None:
    """A DeepSpeed setting given without a DeepSpeed file: in the YAML, or as a flag of the launch. Where they
    differ, the release of accelerate decides: before 1.5 the YAML counts, since then the flag
    (`_validate_launch_command`, read in 0.21 to 1.15)."""
    flag, said = options.get(PREFIX + key), options.get(_INLINE + key)
    if flag is None or said is None:
        return flag or said
    return flag if flag.value == said.value else Option(UNKNOWN, flag.at)


def named_deepspeed(options: dict[str, Option]) -> Option | None:
    """The DeepSpeed file that accelerate is given."""
    flag = options.get(PREFIX + "deepspeed_config_file")
    return flag or options.get(_INLINE + "deepspeed_config_file")
