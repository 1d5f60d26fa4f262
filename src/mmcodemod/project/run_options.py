"""All options of one launch: configuration files, then flags, then what DeepSpeed and accelerate add."""

from __future__ import annotations

from mmcodemod.facts.shell import Word
from mmcodemod.knowledge.consoles import Console
from mmcodemod.model.frozen import frozen
from mmcodemod.model.option import UNKNOWN, Option
from mmcodemod.project.accelerate_config import accelerate_options, named_deepspeed
from mmcodemod.project.console_options import adapted, preset_config
from mmcodemod.project.deepspeed_config import named_config
from mmcodemod.project.flags import (
    coerced,
    flag_options,
    node_options,
    place_of,
    positionals,
    read_switches,
)
from mmcodemod.project.launchers import Launch
from mmcodemod.project.overrides import override_options
from mmcodemod.project.paths import Where
from mmcodemod.project.python_config import config_options, is_config
from mmcodemod.project.ranks import hostfile_options
from mmcodemod.project.sources import Sources

_CONFIG_ENDS = (".yaml", ".yml", ".json")
_CONFIGS = ("config", "config_file", "config_path", "cfg", "c")  # flags that name it


@frozen()
class RunOptions:
    """`configs`: the files of the tree that contributed."""

    options: dict[str, Option]
    configs: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def run_options(
    sources: Sources, where: Where, launch: Launch, path: str, console: Console | None = None
) -> RunOptions:
    """The options of a launch command in the file `path`; the command line wins over files. `console`: the
    installed library whose program runs."""
    flags = read_switches(flag_options(launch.script_words, path))
    config = _config_file(sources, where, launch, flags)
    root = sources.root(config) if config else None
    python = _python_config(sources, where, launch)
    options = {**(node_options(root, config) if root else {}), **flags, **python_options(sources, python)}
    options = {**_fsdp_file(sources, where, options), **options}
    options |= override_options(launch.script_words, path)
    launcher = flag_options(launch.launcher_words, path)
    if launch.kind == "deepspeed":
        options |= hostfile_options(sources, where, launcher)
    accelerate, accelerate_file = _accelerate(sources, where, launch, launcher)
    options |= {f"launcher.{k}": o for k, o in launcher.items()} | accelerate
    options |= {f"env.{k}": _environment(w, path) for k, w in launch.command.env.items()}
    return _completed(sources, where, options, (config, accelerate_file, python), console)


def file_options(sources: Sources, where: Where, path: str, console: Console | None = None) -> RunOptions:
    """The options of a training configuration that nothing launches."""
    root = sources.root(path)
    return _completed(sources, where, node_options(root, path) if root else {}, (path,), console)


def _accelerate(
    sources: Sources, where: Where, launch: Launch, launcher: dict[str, Option]
) -> tuple[dict[str, Option], str]:
    return accelerate_options(sources, where, launcher) if launch.kind == "accelerate" else ({}, "")


def _fsdp_file(sources: Sources, where: Where, options: dict[str, Option]) -> dict[str, Option]:
    """`--fsdp_config file.json` of TrainingArguments."""
    named = options.get("fsdp_config")
    found = where.resolve(named.value) if named and isinstance(named.value, str) else None
    root = sources.root(found.path) if found else None
    return node_options(root, found.path, "fsdp_config.") if found and root else {}


def _config_file(sources: Sources, where: Where, launch: Launch, flags: dict[str, Option]) -> str:
    """The YAML or JSON file of the tree that holds the script's arguments, or ""."""
    named = [w.text for w in positionals(launch.script_words)]
    named += [str(flags[k].value) for k in _CONFIGS if k in flags and flags[k].known]
    for text in named:
        found = where.resolve(text) if text.endswith(_CONFIG_ENDS) else None
        if found:
            return found.path
    return ""


def _python_config(sources: Sources, where: Where, launch: Launch) -> str:
    """The configuration written in Python that is the first argument, by path or by bare name, or ""."""
    for word in positionals(launch.script_words)[:1]:
        found = where.resolve(word.text) if word.text.endswith(".py") else None
        path = found.path if found else _bare_name(sources, word.text)
        if path and is_config(sources, path):
            return path
    return ""


def _bare_name(sources: Sources, name: str) -> str:
    """XTuner: `xtuner train NAME` means the one `NAME.py` among the configurations that it ships."""
    known = sources.once("python names", lambda: _by_name(sources)).get(name, [])
    found = [path for path in known if is_config(sources, path)]
    return found[0] if len(found) == 1 else ""


def _by_name(sources: Sources) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for path in sorted(p for p in sources.paths if p.endswith(".py")):
        found.setdefault(path.rpartition("/")[2].removesuffix(".py"), []).append(path)
    return found


def python_options(sources: Sources, path: str) -> dict[str, Option]:
    """`config.optim_wrapper.clip_grad.max_norm`, and what a DeepSpeedStrategy sets as DeepSpeed's keys."""
    return sources.once(("python options", path), lambda: _python_options(sources, path)) if path else {}


def _python_options(sources: Sources, path: str) -> dict[str, Option]:
    options = config_options(sources, path)
    found = {f"config.{name}": option for name, option in options.items()}
    if "DeepSpeed" in str(options.get("strategy.type", Option("")).value):
        for name, option in options.items():
            key = name.removeprefix("strategy.").removeprefix("config.")
            if name.startswith("strategy.") and key != "type":
                found["deepspeed" if key == "config" else f"deepspeed.{key}"] = option
    return found


def _completed(
    sources: Sources,
    where: Where,
    options: dict[str, Option],
    configs: tuple[str, ...],
    console: Console | None,
) -> RunOptions:
    """With what an installed program makes of them, and the DeepSpeed configuration that they name."""
    if console is not None:
        options, accelerate_file = adapted(sources, where, console, options)
        configs = (*configs, accelerate_file)
    return _with_deepspeed(sources, where, options, configs, console)


def _with_deepspeed(
    sources: Sources,
    where: Where,
    options: dict[str, Option],
    configs: tuple[str, ...],
    console: Console | None,
) -> RunOptions:
    named = deepspeed_name(options)
    if named is None:
        return RunOptions(options, tuple(c for c in configs if c))
    preset = preset_config(where, console, named) if console else None
    found = preset or named_config(sources, where, named)
    used = dict.fromkeys(c for c in (*configs, found.path) if c)
    return RunOptions({**options, **found.options}, tuple(used), found.notes)


def deepspeed_name(options: dict[str, Option]) -> Option | None:
    """`--deepspeed X`, `--deepspeed_config X` (beside a bare `--deepspeed`), or accelerate's file."""
    for name in ("deepspeed", "deepspeed_config"):
        option = options.get(name)
        if option is not None and (isinstance(option.value, str) or option.value is UNKNOWN):
            return option
    return named_deepspeed(options) or _distributed(options) or options.get("deepspeed")


def _distributed(options: dict[str, Option]) -> Option | None:
    """LLaMA-Factory 1: `dist_config: {name: deepspeed, config_file: X}`."""
    named = options.get("dist_config.name")
    return options.get("dist_config.config_file") if named and named.value == "deepspeed" else None


def _environment(word: Word, path: str) -> Option:
    if word.unknown:
        default = None if word.default is None else coerced(word.default)
        return Option(UNKNOWN, place_of(path, word), default=default)
    return Option(coerced(word.text), place_of(path, word))
