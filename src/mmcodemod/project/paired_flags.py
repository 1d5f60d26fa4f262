"""Options that share an entry of the namespace, and what the parser makes of one that nobody gives:
`--amp` and `--no_amp` with `dest="amp"`, and `parser.set_defaults(amp=True)`.

Source: argparse of the standard library: `set_defaults` of the parser wins over the default of an option that
was declared before, and of several options with one `dest` the last that is given holds.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from mmcodemod.model.context import Context
from mmcodemod.model.frozen import frozen
from mmcodemod.model.option import Option
from mmcodemod.project.declared_flags import read_as
from mmcodemod.project.model import Project

Declared = tuple[ast.Call, str]
_SWITCHES = {"store_true": True, "store_false": False}


@frozen()
class Switched:
    """What a launch gives by an option that is called otherwise than the entry that it fills."""

    flag: str
    option: Option
    values: frozenset[object]


def switched(context: Context | None, name: str, near: Iterable[Declared]) -> Switched | None:
    """What fills the entry `name`, where the launch gives one option for it by another name, and no other."""
    found = [s for call, _ in near for s in _given(context, name, call)] if context else []
    return found[0] if len({s.flag for s in found}) == 1 else None


def _given(context: Context | None, name: str, call: ast.Call) -> Iterable[Switched]:
    assert context is not None
    for flag in _flags(call):
        option = context.option(flag)
        if flag != name and option.at is not None:
            yield Switched(flag, option, _values(call, option))


def _flags(call: ast.Call) -> list[str]:
    """The long names of an option, as entries are written."""
    texts = (str(a.value) for a in call.args if isinstance(a, ast.Constant))
    return [t[2:].replace("-", "_") for t in texts if t.startswith("--")]


def _values(call: ast.Call, option: Option) -> frozenset[object]:
    action = next((k.value for k in call.keywords if k.arg == "action"), None)
    said = str(action.value) if isinstance(action, ast.Constant) else ""
    return frozenset((_SWITCHES[said],)) if said in _SWITCHES else read_as(call, option)


def set_default(project: Project, name: str, functions: Iterable[str] | None) -> list[tuple[ast.expr, str]]:
    """What `set_defaults` gives an entry in some functions (None: in any), with the function."""
    every = project.get(_defaults).get(name, [])
    known = None if functions is None else frozenset(functions)
    return [(value, where) for value, where in every if known is None or where in known]


def _defaults(project: Project) -> dict[str, list[tuple[ast.expr, str]]]:
    found: dict[str, list[tuple[ast.expr, str]]] = {}
    for facts in project.mentioning("set_defaults"):
        for call in project.resolver.body(facts.id).calls if facts.may_say(("set_defaults",)) else ():
            if isinstance(call.func, ast.Attribute) and call.func.attr == "set_defaults":
                for keyword in call.keywords:
                    found.setdefault(keyword.arg or "", []).append((keyword.value, facts.id))
    return found
