"""Does a launch train, or does it evaluate, convert or serve?"""

from __future__ import annotations

import ast
import re
from itertools import pairwise

from mmcodemod.facts.definitions import bare_name
from mmcodemod.facts.syntax import walk
from mmcodemod.model.context import Entry
from mmcodemod.model.option import Option
from mmcodemod.model.pattern import regex
from mmcodemod.project.flags import positionals
from mmcodemod.project.launchers import Launch
from mmcodemod.project.sources import Sources

_TRAINING_WORD = regex(
    r"(?:^|[^a-z])(?:(?:pre|re)?(?:train|finetun|fine_tun|fine-tun|sft|dpo|ppo|grpo|kto|rlhf|distill)|pt$)",
    re.IGNORECASE,
)
_TRAINING_CODE = regex(
    rb"\.backward\(|\bTrainer\b|\wTrainer\(|\btorch\.optim\b|deepspeed\.initialize|Accelerator\("
)
_IN_IT = (b".backward(", b"Trainer", b"torch.optim", b"deepspeed.initialize", b"Accelerator(")
"""What code that trains has one of: found ten times as fast as the expression, and seldom there."""
_PREDICTS = ("do_predict", "do_eval")
_ENDS = frozenset(("exit", "_exit", "quit", "abort", "train"))


def trains(sources: Sources, launch: Launch, entry: Entry) -> bool:
    """A distributed launcher, a name that says so, or code that steps an optimizer."""
    if launch.kind not in ("python", "console"):
        return True
    if launch.how == "console":
        return any(
            _TRAINING_WORD.search(w.text) for w in (launch.target, *positionals(launch.script_words)[:1])
        )
    return bool(_TRAINING_WORD.search(entry.path)) or _steps(sources.data(entry.path))


def _steps(code: bytes) -> bool:
    return any(word in code for word in _IN_IT) and bool(_TRAINING_CODE.search(code))


def shows_help(launch: Launch) -> bool:
    """Is the program asked for its options, which it prints before it ends? What has a value behind it is an
    option of the program's own."""
    words = [word.text for word in launch.script_words]
    alone = (a for a, b in pairwise([*words, "-"]) if b.startswith("-"))
    return "--help" in words or "-h" in alone


def asks_for_training(sources: Sources, entry: Entry) -> bool:
    """May the program not train without `do_train`? Not where its own file calls `.train()`, no file of the
    tree names the flag, and evaluation and prediction are only asked for to do them as well."""
    module = sources.python(entry.path) if entry.path in sources.paths else None
    if module is None or not any(map(_calls_train, walk(module))):
        return True
    own = (path for path in sources.paths if path.endswith(".py"))
    return any(b"do_train" in sources.data(path) for path in own) or not _only_adds(module)


def _calls_train(node: ast.AST) -> bool:
    called = node.func if isinstance(node, ast.Call) else None
    return isinstance(called, ast.Attribute) and called.attr == "train"


def _only_adds(module: ast.Module) -> bool:
    """Is each `args.do_eval` the whole test of an `if` without a way around what follows?"""
    nodes = list(walk(module))
    asked = {id(n) for n in nodes if isinstance(n, ast.Attribute) and n.attr in _PREDICTS}
    adding = {id(n.test) for n in nodes if isinstance(n, ast.If) and not n.orelse and not _leaves(n)}
    texts = any(
        isinstance(n, ast.Constant) and n.value in _PREDICTS for n in nodes
    )  # getattr(args, "do_eval")
    return asked <= adding and not texts


def _leaves(branch: ast.If) -> bool:
    """May it end the program or the function, or train itself?"""
    nodes = [node for statement in branch.body for node in walk(statement)]
    calls = {bare_name(node.func) for node in nodes if isinstance(node, ast.Call)}
    return any(isinstance(node, (ast.Return, ast.Raise)) for node in nodes) or bool(calls & _ENDS)


def only_predicts(options: dict[str, Option]) -> bool:
    """`do_predict` or `do_eval` without `do_train`, as TrainingArguments reads them."""
    train = options.get("do_train")
    asked = any(options[k].value is True for k in _PREDICTS if k in options)
    return asked and (train is None or train.value is False)
