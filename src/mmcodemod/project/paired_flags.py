"""Options that share an entry of the namespace, and what the parser makes of one that nobody gives:
`--amp` and `--no_amp` with `dest="amp"`, and `parser.set_defaults(amp=True)`.

Source: argparse of the standard library: `set_defaults` of the parser wins over the default of an option that
was declared before, and of several options with one `dest` the last that is given holds.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from mmcodemod.model.context import Context
from mmcodemod.model.frozen import frozen
from mmcodemod.model.option import Option
from mmcodemod.project.declared_flags import read_as
from mmcodemod.project.model import Project
from mmcodemod.project.origins import Origins
from mmcodemod.project.stored_options import Overwrite

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
            yield switch(flag, option, call)


def _flags(call: ast.Call) -> list[str]:
    """The names of an option, as entries are written."""
    return [text.lstrip("-").replace("-", "_") for text in strings(call)]


def strings(call: ast.Call) -> list[str]:
    """The names of an option, as a launch gives them."""
    texts = (str(a.value) for a in call.args if isinstance(a, ast.Constant))
    return [text for text in texts if text.startswith("-")]


def switch(flag: str, option: Option, call: ast.Call) -> Switched:
    """What a launch gives by `flag` for the option that `call` declares."""
    return Switched(flag, option, _values(call, option))


def _values(call: ast.Call, option: Option) -> frozenset[object]:
    action = next((k.value for k in call.keywords if k.arg == "action"), None)
    said = str(action.value) if isinstance(action, ast.Constant) else ""
    return frozenset((_SWITCHES[said],)) if said in _SWITCHES else read_as(call, option)


def set_default(project: Project, name: str, functions: Iterable[str] | None) -> list[Overwrite]:
    """What `set_defaults` may give an entry in some functions (None: in any)."""
    every = project.get(_defaults)
    known = None if functions is None else frozenset(functions)
    found = (*every.get(name, ()), *every.get("", ()))
    return [made for made in found if known is None or made.function in known]


def _defaults(project: Project) -> dict[str, list[Overwrite]]:
    """By the name of the entry, "" where it does not show. Use through `project.get(_defaults)`."""
    found: dict[str, list[Overwrite]] = {}
    for facts in project.mentioning("set_defaults"):
        for call in project.calls_of(facts.id, ("set_defaults",)):
            for keyword in call.keywords:
                for name, value in _entries(project, keyword, facts.id):
                    made = Overwrite(call, value if name else None, facts.id)
                    found.setdefault(name, []).append(made)
    return found


def _entries(project: Project, keyword: ast.keyword, function: str) -> Iterator[tuple[str, ast.expr]]:
    """What a keyword names: itself, or the entries of `**{"x": 1}` and `**dict(x=1)`; "" for what does not
    show."""
    if keyword.arg is not None:
        yield keyword.arg, keyword.value
        return
    for origin in Origins(project).of(keyword.value, function):
        given = origin.expr
        if isinstance(given, ast.Dict):
            yield from ((_text(key), value) for key, value in zip(given.keys, given.values))
        elif isinstance(given, ast.Call) and getattr(given.func, "id", "") == "dict" and not given.args:
            yield from ((k.arg or "", k.value) for k in given.keywords)
        else:
            yield "", given


def _text(key: ast.expr | None) -> str:
    return key.value if isinstance(key, ast.Constant) and isinstance(key.value, str) else ""
