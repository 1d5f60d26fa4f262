"""Which commands start Python, through which launcher, and where the script's own arguments begin."""

from __future__ import annotations

import posixpath
from collections.abc import Container
from dataclasses import replace

from mmcodemod.facts.shell import Command, Word
from mmcodemod.model.frozen import frozen
from mmcodemod.model.pattern import regex

_PYTHON = regex(r"python(?:\d(?:\.\d+)?)?|\$PYTHON\w*")
_WHICH = regex(r"\$\((?:which|command -v) ([\w.-]+)\)")
_WRAPPERS = {
    "nohup", "env", "time", "exec", "sudo", "srun", "eval", "uv", "poetry", "pipenv", "conda", "pdm",
    "stdbuf", "numactl", "timeout", "nsys", "ncu", "singularity", "apptainer", "mpirun", "mpiexec",
    "command", "nice", "setsid", "taskset", "pixi", "hatch", "rye", "xvfb-run",
    "ssh", "tmux", "screen",
}  # fmt: skip
_TASKS = ("srun", "mpirun", "mpiexec")  # each starts one process for each task
_LONG = {"-n": "--ntasks", "-N": "--nodes"}
_LAUNCHERS = {
    "deepspeed": "deepspeed",
    "torchrun": "torch",
    "accelerate": "accelerate",
    "accelerate-launch": "accelerate",
}
_LAUNCHER_MODULES = {
    "torch.distributed.run": "torch",
    "torch.distributed.launch": "torch",
    "accelerate.commands.launch": "accelerate",
    "deepspeed": "deepspeed",
    "deepspeed.launcher.runner": "deepspeed",
}
_MODULE = ("-m", "--module")
# Options of launchers that take no value (deepspeed 0.16.9 and 0.19.8, torch 2.13, accelerate 1.15).
_SWITCHES = frozenset((
    "m", "module", "q", "quiet", "no_python", "no_local_rank", "no_ssh", "no_ssh_check", "force_multi",
    "save_pid", "elastic_training", "bind_cores_to_rank", "standalone", "run_path", "use_env", "cpu",
    "multi_gpu", "tpu", "enable_cpu_affinity", "use_deepspeed", "use_fsdp", "use_megatron_lm",
    "use_parallelism_config", "debug", "same_network", "downcast_bf16", "dynamo_use_fullgraph",
    "dynamo_use_dynamic", "tpu_cluster", "tpu_use_sudo",
))  # fmt: skip
_AS_MODULE = regex(r"-[bBdEiIOPqsSuvx]*m")  # switches of Python's own may stand before the m
_VALUE_OPTIONS = ("-W", "-X", "--check-hash-based-pycs")


@frozen(slots=True)
class Launch:
    """`kind`: deepspeed, torch, accelerate, tasks (plain Python below srun or mpirun), python or console.
    `how` of the target: script, module or console."""

    kind: str
    how: str
    target: Word
    launcher_words: tuple[Word, ...]
    script_words: tuple[Word, ...]
    command: Command


def launch_of(command: Command, consoles: Container[str], installed: Container[str] = ()) -> Launch | None:
    """The launch that a command makes, None when it starts no Python file that can be named. `installed`:
    console scripts that libraries bring, which no launcher starts."""
    words = _unwrapped(command.words, consoles, installed)
    if not words:
        return None
    own = Launch("console", "console", words[0], (), words[1:], command)
    launch = own if command_name(words[0]) in installed else _launch(words, command, consoles)
    wrapper = command.wrapper + command.words[: len(command.words) - len(words)]
    if launch is not None and launch.kind == "python" and any(command_name(w) in _TASKS for w in wrapper):
        return replace(launch, kind="tasks", launcher_words=_asked(command.batch, wrapper) + wrapper)
    return launch


def _asked(batch: tuple[Word, ...], wrapper: tuple[Word, ...]) -> tuple[Word, ...]:
    """What `#SBATCH` lines ask for and `srun` inherits: all that its own options do not say."""
    if not any(command_name(w) == "srun" for w in wrapper):
        return ()
    said = {_LONG.get(w.text, w.text).partition("=")[0] for w in wrapper}
    said |= {"--ntasks-per-node"} if "--ntasks" in said else set()
    return tuple(w for w in batch if w.text.partition("=")[0] not in said)


def _launch(words: tuple[Word, ...], command: Command, consoles: Container[str]) -> Launch | None:
    name = command_name(words[0])
    if name in consoles:
        return Launch("console", "console", words[0], (), words[1:], command)
    if kind := _LAUNCHERS.get(name):
        return _launched(kind, words[1:], command, consoles)
    return _python(words[1:], command, consoles) if _PYTHON.fullmatch(name) else None


def command_name(word: Word) -> str:
    """`torchrun` for `/usr/bin/torchrun` and for `$(which torchrun)`."""
    found = _WHICH.fullmatch(word.text)
    return found[1] if found else posixpath.basename(word.text)


def _unwrapped(
    words: tuple[Word, ...], consoles: Container[str], installed: Container[str]
) -> tuple[Word, ...]:
    if command_name(words[0]) not in _WRAPPERS and not _fills_in(words):
        return words
    starts = (i for i, w in enumerate(words[:40]) if _starts_python(w, consoles, installed))
    return next((words[i:] for i in starts), ())


def _fills_in(words: tuple[Word, ...]) -> bool:
    """Is it `xargs` that puts what it reads where the command says? Otherwise it adds words at the end."""
    return command_name(words[0]) == "xargs" and any(w.text.startswith(("-I", "--replace")) for w in words)


def _starts_python(word: Word, consoles: Container[str], installed: Container[str]) -> bool:
    name = command_name(word)
    return name in consoles or name in installed or name in _LAUNCHERS or bool(_PYTHON.fullmatch(name))


def _python(words: tuple[Word, ...], command: Command, consoles: Container[str]) -> Launch | None:
    at = 0
    while at < len(words) and words[at].text.startswith("-"):
        if words[at].text in ("-c", "-"):
            return None
        if _AS_MODULE.fullmatch(words[at].text):
            return _module(words[at + 1 :], command, consoles)
        at += 2 if words[at].text in _VALUE_OPTIONS else 1
    if at == len(words) or not words[at].text.endswith(".py"):
        return None
    return Launch("python", "script", words[at], words[:at], words[at + 1 :], command)


def _module(words: tuple[Word, ...], command: Command, consoles: Container[str]) -> Launch | None:
    if not words:
        return None
    if kind := _LAUNCHER_MODULES.get(words[0].text):
        return _launched(kind, words[1:], command, consoles)
    return Launch("python", "module", words[0], (), words[1:], command)


def _launched(
    kind: str, words: tuple[Word, ...], command: Command, consoles: Container[str]
) -> Launch | None:
    """The first word that is a script, a module behind `-m`, or a console script of the tree."""
    if kind == "accelerate" and words[:1] and words[0].text == "launch":
        words = words[1:]
    for at, word in enumerate(words):
        if word.text in _MODULE:
            at = _positional(words, at + 1)
            how = "module"
        elif word.text.endswith(".py"):
            how = "script"
        elif command_name(word) in consoles:
            how = "console"
        else:
            continue
        return Launch(kind, how, words[at], words[:at], words[at + 1 :], command) if words[at:] else None
    return None


def _positional(words: tuple[Word, ...], at: int) -> int:
    """The index of the first word from `at` on that is neither an option nor the value of one."""
    while at < len(words) and words[at].text.startswith("-"):
        at += 1 if "=" in words[at].text or is_switch(words[at].text) else 2
    return at


def is_switch(word: str) -> bool:
    """Is it an option of a launcher that takes no value?"""
    return word.lstrip("-").replace("-", "_") in _SWITCHES
