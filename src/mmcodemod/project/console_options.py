"""The options of a run of an installed program, by the names that the Trainer and accelerate know them by."""

from __future__ import annotations

from collections.abc import Callable

from mmcodemod.knowledge.consoles import Console, Preset
from mmcodemod.model.option import AUTO, UNKNOWN, Option
from mmcodemod.project.accelerate_config import accelerate_options
from mmcodemod.project.deepspeed_config import DeepSpeed
from mmcodemod.project.paths import Where
from mmcodemod.project.sources import Sources

Options = dict[str, Option]

# Options of `accelerate launch` that trl and axolotl hand on (accelerate 1.15.0, commands/launch.py).
_HANDED_ON = ("num_processes", "num_machines", "multi_gpu", "use_deepspeed", "zero_stage", "use_fsdp",
              "mixed_precision", "config_file", "deepspeed_config_file")  # fmt: skip
_CHECKPOINTING, _KWARGS = "gradient_checkpointing", "gradient_checkpointing_kwargs"
_REENTRANT = f"{_KWARGS}.use_reentrant"


def adapted(sources: Sources, where: Where, console: Console, options: Options) -> tuple[Options, str]:
    """The options under their usual names, and the path of accelerate's file, "" when none is here."""
    found = {**options, **{to: options[key] for key, to in console.renamed.items() if key in options}}
    found |= {f"env.{k[4:]}": o for k, o in options.items() if k.startswith("ENV.")}  # swift
    found |= {
        k: Option(AUTO, o.at) for k, o in found.items() if k.startswith("deepspeed.") and o.value == "auto"
    }
    own = _OWN.get(console.library)
    found |= own(found) if own else {}
    return _launcher(sources, where, console, found) if console.accelerate else (found, "")


def _axolotl(options: Options) -> Options:
    """core/builders/base.py: `bf16: auto` is decided on the machine, fp16 holds only without bf16,
    checkpointing is not reentrant unless that is asked for, and `fsdp_config` alone switches FSDP on."""
    found: Options = {}
    for name in ("bf16", "fp16"):
        option = options.get(name)
        if option is not None and not isinstance(option.value, bool):
            found[name] = Option(UNKNOWN, option.at, f"{option.value}")
    bf16, fp16 = {**options, **found}.get("bf16"), options.get("fp16")
    if bf16 is not None and fp16 is not None and bf16.value is not False:
        found["fp16"] = Option(False, fp16.at, "bf16 counts before")
    found |= _checkpoints(options, False)
    inside = next((o for k, o in options.items() if k.startswith("fsdp_config.")), None)
    if inside is not None and "fsdp" not in options:
        found["fsdp"] = Option(True, inside.at, "fsdp_config is given")
    return found


def _swift(options: Options) -> Options:
    """trainers/mixin.py, `_fix_gradient_checkpointing`: reentrant unless DDP trains."""
    return _checkpoints(options, any(options[k].value for k in ("deepspeed", "fsdp") if k in options))


def _llamafactory(options: Options) -> Options:
    """model/model_utils/checkpointing.py: reentrant unless `use_reentrant_gc` says otherwise."""
    told = options.get("use_reentrant_gc")
    return _checkpoints(options, told is None or told.value is not False)


def _checkpoints(options: Options, reentrant: bool) -> Options:
    """How the program checkpoints where the user switches that on and says no more."""
    on = options.get(_CHECKPOINTING)
    given = any(k.partition(".")[0] == _KWARGS for k in options)
    return {_REENTRANT: Option(reentrant, on.at, "by default")} if on is not None and not given else {}


_OWN: dict[str, Callable[[Options], Options]] = {
    "axolotl": _axolotl,
    "ms-swift": _swift,
    "llamafactory": _llamafactory,
}


def _launcher(sources: Sources, where: Where, console: Console, options: Options) -> tuple[Options, str]:
    """What is handed on to `accelerate launch`, and what its configuration says."""
    launcher = {k: options[k] for k in _HANDED_ON if k in options}
    named = options.get("accelerate_config")
    preset = console.launches.get(str(named.value)) if named else None
    if named is not None and preset is None:
        launcher["config_file"] = named
    more, path = accelerate_options(sources, where, launcher)
    shipped = _shipped(console, preset, named) if preset and named else {}
    return {**options, **shipped, **{f"launcher.{k}": o for k, o in launcher.items()}, **more}, path


def preset_config(where: Where, console: Console, named: Option) -> DeepSpeed | None:
    """A DeepSpeed configuration that the library brings; None when the tree holds one of this name."""
    text = named.value if isinstance(named.value, str) else ""
    preset = console.presets.get(text.removeprefix("./"))
    if preset is None or where.resolve(text) is not None:
        return None
    told = Option(named.value, named.at, _told(console))
    return DeepSpeed(
        {"deepspeed": told, **_shipped(console, preset, named)}, notes=(f"{text}: {_told(console)}",)
    )


def _shipped(console: Console, preset: Preset, named: Option) -> Options:
    values = ((key, AUTO if value == "auto" else value) for key, value in preset.items())
    return {key: Option(value, named.at, _told(console)) for key, value in values}


def _told(console: Console) -> str:
    return f"a configuration that {console.library} brings"
