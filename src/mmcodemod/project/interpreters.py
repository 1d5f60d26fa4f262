"""Launches that give an interpreter where the launcher wants a program: `torchrun python train.py` starts
`python -u python train.py`.

Sources: torch/distributed/run.py, `config_from_args`: `sys.executable -u` stands before the program unless
--no_python is given; deepspeed/launcher/launch.py and accelerate/utils/launch.py: the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from posixpath import basename

from mmcodemod.model.context import MAX_COMMAND, Context, Origin
from mmcodemod.model.pattern import regex
from mmcodemod.project.death import Death
from mmcodemod.project.launchers import is_switch
from mmcodemod.project.model import Project

_STARTS = regex(r"torchrun|deepspeed|accelerate(?:-launch)?|torch\.distributed\.(?:run|launch)")
_INTERPRETER = regex(r"python(?:\d(?:\.\d+)?)?")
_AS_IT_IS = ("--no_python", "--no-python")
_OPEN = ("$", "`")
_LAUNCHERS = ("torch", "deepspeed", "accelerate")


def interpreter(project: Project, context: Context) -> Death | None:
    """How such a launch dies; None when nothing shows that."""
    at, entry = context.launcher, context.entry
    if at is None or entry is None or context.origin is not Origin.LAUNCHED or entry.library:
        return None
    if context.launched_by not in _LAUNCHERS or len(context.command) >= MAX_COMMAND:
        return None
    named = _named(context.words, basename(entry.path))
    why = f"`{named}` stands where the launcher wants the program, and so `python {named}` is what it starts"
    fact = f"whether the run gets past {at}: {why}"
    return Death(at, f"can't open file '{named}'", why, fact) if named else None


def _named(words: Sequence[str], program: str) -> str:
    """The interpreter that stands between the launcher and the program, and is no value of an option."""
    starts = next((n for n, word in enumerate(words) if _STARTS.fullmatch(basename(word))), len(words))
    ends = next((n for n, word in enumerate(words) if n > starts and basename(word) == program), 0)
    between = range(starts + 1, ends)
    if any(words[n] in _AS_IT_IS for n in between):
        return ""
    found = (n for n in between if _INTERPRETER.fullmatch(basename(words[n])))
    return next((words[n] for n in found if n == starts + 1 or _is_free(words, n)), "")


def _is_free(words: Sequence[str], at: int) -> bool:
    """Do the words before leave one to be the program? What a shell makes of one may end in an option."""
    before = words[at - 1]
    if before.startswith(_OPEN):
        return _takes_value(words[at - 2])
    return not _takes_value(before)


def _takes_value(word: str) -> bool:
    return word.startswith("-") and "=" not in word and not is_switch(word)
