"""Is a value that Lightning logs reduced over all ranks only at the end of the epoch? May-analysis: then
ranks may log in other rounds, as long as each does so once.

pytorch_lightning 2.4 (trainer/connectors/logger_connector): `on_step=True`, the default in `training_step`,
reduces in the call itself.
"""

from __future__ import annotations

import ast

from mmcodemod.knowledge.waiting_calls import LOGS
from mmcodemod.project.forwards import call_of, last
from mmcodemod.project.infer import Frame
from mmcodemod.project.model import Project
from mmcodemod.project.sequences import Letter

_LOGS = frozenset(name.rpartition(".")[2] for name in LOGS)
_AT_ONCE, _BY_DEFAULT = "on_step", "training_step"


def is_late(project: Project, letter: Letter, frame: Frame) -> bool:
    """Is a letter that `frame` gets to such a log?"""
    call = call_of(project, letter, frame) if letter.name in _LOGS else None
    if call is None:
        return False
    asked = next((k.value for k in call.keywords if k.arg == _AT_ONCE), None)
    if asked is None:
        return project.index.function(last(letter, frame).function).name != _BY_DEFAULT
    return not (isinstance(asked, ast.Constant) and asked.value is True)
