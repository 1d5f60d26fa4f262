"""What a log says of how the run was started: commands, versions, the strategy, and where NCCL stood."""

from __future__ import annotations

import ast
import shlex

from mmcodemod.model.pattern import regex
from mmcodemod.model.triage import Stand, Started
from mmcodemod.triage.lines import Line

MOST_WORDS = 400

_SPAWNED = regex(r"(?:spawned with command: |cmd = )(?P<command>.{1,12000})")
_ENDED = regex(r"(?P<command>\[['\"].{1,12000}\]) exits with return code")
_ECHOED = regex(
    r"(?:\+{1,4} |[\w@.~:/-]{0,60}[$#] )?(?P<command>(?:\w{1,40}=[^ ]{0,200} ){0,20}"
    r"(?:srun (?:-[^ ]{1,80} ){0,20})?(?:deepspeed|torchrun|accelerate launch"
    r"|python3? -m (?:torch\.distributed\.(?:run|launch)|deepspeed|accelerate)"
    r"|xtuner train|llamafactory-cli train|swift sft) .{1,12000})"
)
_VERSION = regex(
    r"(?i)\b(?P<name>torch|transformers|deepspeed|accelerate|peft|trl|datasets|lightning)"
    r"(?: version|_version|-version)?(?:[\"']? ?(?:==|:|=) ?[\"']?v?| (?:info |version )?v?)"
    r"(?P<version>\d{1,4}\.\d{1,4}(?:\.\d{1,4})?)(?![\d.]*[eE%])"
)
_INFO = regex(r"DeepSpeed info: version=(?P<version>\d{1,4}\.\d{1,4}\.\d{1,4})")
_STAGE = regex(
    r"zero_optimization_stage[ .]{1,80}(?P<stage>[0-3])\b"
    r"|ZeRO (?:Stage |stage |optimizer stage )(?P<other>[1-3])\b"
)
_WATCHDOG = regex(
    r"Watchdog caught collective operation timeout: WorkNCCL\("
    r"(?:SeqNum=(?P<sequence>\d{1,18}), )?OpType=(?P<operation>\w{1,40}),?"
    r"(?: NumelIn=(?P<numel>\d{1,18}), NumelOut=\d{1,18},)?(?: TensorShape=\[[\d, ]{0,200}\],)?"
    r" ?Timeout\(ms\)=(?P<limit>\d{1,12})"
)
_RANK = regex(r"\[(?:PG [^\]]{0,120}? )?Rank (?P<rank>\d{1,5})\]")

LITERALS = ("spawned with command", "cmd = ", "exits with return code", "Watchdog caught")
_STRATEGIES = (  # names of files of the libraries, which stand in their log lines and frames
    ("zero/partition_parameters.py", ("zero3",)),
    ("[partition_parameters.py:", ("zero3",)),
    ("zero/partitioned_param_coordinator.py", ("zero3",)),
    ("zero/parameter_offload.py", ("zero3",)),
    ("zero/stage3.py", ("zero3",)),
    ("[stage3.py:", ("zero3",)),
    ("zero/stage_1_and_2.py", ("zero1", "zero2")),
    ("[stage_1_and_2.py:", ("zero1", "zero2")),
    ("fsdp/fully_sharded_data_parallel.py", ("fsdp1",)),
    ("fsdp/_runtime_utils.py", ("fsdp1",)),
    ("fsdp/_fully_shard/", ("fsdp2",)),
    ("nn/parallel/distributed.py", ("ddp",)),
)


def started(line: Line) -> Started | None:
    """The command that this line echoes."""
    text = line.text
    found = _SPAWNED.search(text) or _ENDED.search(text) or _ECHOED.match(text)
    if found is None:
        return None
    words = _words(found["command"])
    runs = any(w.endswith(".py") or w in ("train", "sft", "-m") for w in words)
    return Started(words, line.number) if runs else None


def _words(command: str) -> tuple[str, ...]:
    """Words of a shell, or of a list as Python prints it."""
    try:
        if command.startswith("["):
            listed = ast.literal_eval(command[: command.rindex("]") + 1])
            return tuple(str(word) for word in listed)[:MOST_WORDS]
        return tuple(shlex.split(command))[:MOST_WORDS]
    except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
        return tuple(command.split())[:MOST_WORDS]


def versions(text: str) -> dict[str, str]:
    """Versions of libraries that this line names."""
    if (found := _INFO.search(text)) is not None:
        return {"deepspeed": found["version"]}
    return {m["name"].lower(): m["version"] for m in _VERSION.finditer(text[:2000])}


def strategies(text: str) -> tuple[str, ...]:
    """Strategies that this line speaks for."""
    if "ZeRO" in text or "zero_optimization_stage" in text:
        if (found := _STAGE.search(text)) is not None:
            return (f"zero{found['stage'] or found['other']}",)
    return next((names for literal, names in _STRATEGIES if literal in text), ())


def stand(line: Line) -> Stand | None:
    """Where a rank stood when the watchdog gave up."""
    found = _WATCHDOG.search(line.text)
    if found is None:
        return None
    own = _RANK.search(line.text[: found.start()])
    numbers = {key: int(found[key] or -1) for key in ("sequence", "numel", "limit")}
    rank = own["rank"] if own else line.rank
    return Stand(
        rank, numbers["sequence"], found["operation"], numbers["numel"], numbers["limit"], line.number
    )
