"""What rules say of a configuration, and the question to the libraries that answers whether it is so."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from judging.case import RAW, TRAINER, Case

Answer = Mapping[str, object]  # of tools/judging/oracle.py

ANY = "any rule"
MISMATCH = re.compile(r"- ds (\S+?)=")  # a line of the Trainer's list of mismatches
EXTRA = re.compile(r"Extra inputs are not permitted|extra fields not permitted|has been removed")
BATCH = re.compile(r"Check batch related parameters|has to be greater than 0|ZeroDivisionError")
BOTH = re.compile(r"cannot be simultaneously enabled|At most one of fp16 and bf16 can be True")
STAGE = re.compile(r"Partial offloading only supported|gradient_allreduce_op='sum' is not supported")
AUTO = re.compile(
    r"'auto'|\"auto\"|not supported between instances of 'str' and 'int'|unsupported operand"
    r"|not all arguments converted|must be str"
)
SIZES = ("train_micro_batch_size_per_gpu", "gradient_accumulation_steps", "train_batch_size")
UNREADABLE = re.compile(r"JSONDecodeError|Duplicate keys")


@dataclass(frozen=True)
class Said:
    """A finding as far as it is compared."""

    rule: str
    severity: str
    message: str

    @property
    def loud(self) -> bool:
        return self.severity in ("warning", "error")


@dataclass(frozen=True)
class Row:
    """`claims`: does the finding say so? `holds`: do the libraries; None where they cannot be asked. `rule`
    is "any rule" where it does not matter which one says it."""

    rule: str
    statement: str
    claims: Callable[[Said], bool]
    holds: Callable[[Case, Answer], bool | None]

    def said(self, findings: Sequence[Said]) -> bool:
        return any(self.rule in (each.rule, ANY) and self.claims(each) for each in findings)


def loud(said: Said) -> bool:
    return said.loud


def any_of(_: Said) -> bool:
    return True


def telling(word: str) -> Callable[[Said], bool]:
    return lambda said: word in said.message


def error(answer: Answer) -> str:
    return str(answer.get("error", ""))


def rejected(text: re.Pattern[str]) -> Callable[[Case, Answer], bool | None]:
    """Do they stop with this text? Unknown where they stop with another, which may have come first."""

    def holds(_: Case, answer: Answer) -> bool | None:
        if text.search(error(answer)):
            return True
        return None if error(answer) else False

    return holds


def _by(loader: str, holds: Callable[[Case, Answer], bool | None]) -> Callable[[Case, Answer], bool | None]:
    return lambda case, answer: holds(case, answer) if case.loader == loader else None


def _mismatch(keys: Callable[[str], bool]) -> Callable[[Case, Answer], bool | None]:
    def holds(case: Case, answer: Answer) -> bool | None:
        if case.loader != TRAINER or UNREADABLE.search(error(answer)) or BOTH.search(error(answer)):
            return None
        return any(map(keys, MISMATCH.findall(error(answer))))

    return holds


def _half(key: str) -> bool:
    return key.startswith(("fp16.", "bf16."))


def _both(case: Case, answer: Answer) -> bool | None:
    """The Trainer's list of mismatches comes first: both switches are on all the same."""
    if BOTH.search(error(answer)):
        return True
    if UNREADABLE.search(error(answer)):
        return None
    written = _written(case)
    on = [_on(written, name) for name in ("fp16", "bf16", "bfloat16")]
    return bool(error(answer)) and on[0] and (on[1] or on[2])


def _on(written: Mapping[str, object], name: str) -> bool:
    section = written.get(name)
    return isinstance(section, dict) and section.get("enabled") is True


def _written(case: Case) -> dict[str, object]:
    try:
        return dict(json.loads(case.text))
    except ValueError:
        return {}


def _accepted(holds: Callable[[Case, Answer], bool | None]) -> Callable[[Case, Answer], bool | None]:
    return lambda case, answer: None if error(answer) else holds(case, answer)


def _unclipped(case: Case, answer: Answer) -> bool | None:
    """The Trainer's number is not DeepSpeed's; without the Trainer, none is."""
    clips = answer["clipping"] or 0.0
    if case.loader == RAW:
        return "gradient_clipping" not in _written(case) and clips == 0.0
    return clips != answer["max_grad_norm"]


def _another_schedule(case: Case, answer: Answer) -> bool | None:
    if answer.get("schedule") == "unknown":
        return None
    return "--lr_scheduler_type" in case.flags and answer.get("schedule") == "another"


def _does_not_start(case: Case, answer: Answer) -> bool | None:
    """An "auto" that the configuration has taken meets DeepSpeed's engine next, which is not asked."""
    if not error(answer) and case.loader == RAW and '"auto"' in case.text:
        return None
    return bool(error(answer))


def _auto_size(case: Case, answer: Answer) -> bool | None:
    """The other keys meet DeepSpeed's engine next, which is not asked."""
    if not error(answer):
        return None if '"auto"' in case.text else False
    sizes = [k for k, v in _written(case).items() if v == "auto" and k in SIZES]
    return bool(sizes) and AUTO.search(error(answer)) is not None


STOPPING = ("MM306", "MM307", "MM501", "MM502", "MM503", "MM504")


def _stopping(said: Said) -> bool:
    """Does it say loudly that the run does not start?"""
    return said.loud and (said.rule in STOPPING or "stops" in said.message)


ROWS: tuple[Row, ...] = (
    Row("MM110", "stage 3 does not gather on save", any_of,
        _accepted(lambda _, a: a["stage"] == 3 and not a["gather"])),
    Row("MM303", "the clipping asked for is not DeepSpeed's", any_of, _accepted(_unclipped)),
    Row("MM306", "stops: fp16 and bf16 are both on", loud, _both),
    Row("MM307", "stops: a precision differs from the arguments", loud, _mismatch(_half)),
    Row("MM310", "stages 1 and 2 overlap the reduction", any_of,
        _accepted(lambda _, a: a["stage"] in (1, 2) and bool(a["overlap"]))),
    Row("MM501", "stops: the file cannot be read", loud, rejected(UNREADABLE)),
    Row("MM502", "stops: a number differs from the arguments", loud, _mismatch(lambda key: not _half(key))),
    Row("MM503", "stops: the batch sizes do not fit", loud, _by(RAW, rejected(BATCH))),
    Row("MM504", 'stops: a size is "auto"', loud, _by(RAW, _auto_size)),
    Row("MM506", "stops: a key is not known", telling("stops"), rejected(EXTRA)),
    Row("MM506", "a key is not read", telling("does not read"), _accepted(lambda _, a: bool(a["unread"]))),
    Row("MM507", "stops: a key does not go with the stage", telling("stops"), rejected(STAGE)),
    Row("MM512", "another schedule than the one asked for", loud, _accepted(_another_schedule)),
    Row(ANY, "the run does not start", _stopping, _does_not_start),
)  # fmt: skip
