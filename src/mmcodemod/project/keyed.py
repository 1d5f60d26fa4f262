"""Which uses of a table that is written out may take one of its entries: `TABLE[args.kind]` and the like."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.syntax import unparse
from mmcodemod.model.context import Context
from mmcodemod.model.finding import Note
from mmcodemod.model.frozen import frozen
from mmcodemod.model.option import UNKNOWN
from mmcodemod.model.verdict import Answer, Excluded, Fatal, Unclear
from mmcodemod.project.flow import LOOPS
from mmcodemod.project.model import Project
from mmcodemod.project.naming_places import Naming, namings
from mmcodemod.project.own_tests import let_to, says
from mmcodemod.project.setting import Setting
from mmcodemod.project.settings import Settings

_ASKS = ("isinstance", "len", "list", "sorted", "set", "tuple", "print", "join")
_TURNS = (*LOOPS, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@frozen()
class _Entry:
    """A key of a table; `several`: does another one name something else?"""

    key: ast.Constant
    several: bool


def entry_of(project: Project, context: Context, naming: Naming) -> Iterator[Answer]:
    """What each use of the table whose entry the naming is says."""
    table = naming.parent
    assert isinstance(table, ast.Dict) and context.entry is not None
    key = next((k for k, v in zip(table.keys, table.values) if v is naming.node), None)
    several = len({ast.dump(value) for value in table.values}) > 1
    holder = naming.around[1] if len(naming.around) > 1 else None
    if not isinstance(key, ast.Constant) or table.keys.count(None):
        yield Fatal()
    elif isinstance(holder, (ast.Assign, ast.AnnAssign)):
        yield from _held(project, context, holder, _Entry(key, several))
    else:
        at_once = Naming(naming.function, naming.node, naming.around[1:])
        yield from _use(project, context, at_once, table, _Entry(key, several))


def _held(
    project: Project, context: Context, holder: ast.Assign | ast.AnnAssign, entry: _Entry
) -> Iterator[Answer]:
    """The uses of the name that holds a table."""
    targets = holder.targets if isinstance(holder, ast.Assign) else [holder.target]
    name = getattr(targets[0], "id", None) or getattr(targets[0], "attr", None)
    if len(targets) > 1 or not isinstance(name, str) or context.entry is None:
        yield Fatal()
        return
    for naming in namings(project, context.entry, name):
        if naming.node is not targets[0]:
            yield from _use(project, context, naming, naming.node, entry)


def _use(
    project: Project, context: Context, naming: Naming, table: ast.expr, entry: _Entry
) -> Iterator[Answer]:
    taken = _key(naming, table)
    if taken is None:
        yield from () if _only_asked(naming, table) else (Fatal(),)
        return
    here = let_to(project, context, naming.function, table)
    yield here if isinstance(here, Excluded) else _under(project, context, naming, taken, entry)


def _key(naming: Naming, table: ast.expr) -> ast.expr | None:
    """What is looked up in the table there, None where it is used otherwise."""
    parent, above = (*naming.around, None, None)[:2]
    if isinstance(parent, ast.Subscript) and parent.value is table and isinstance(parent.ctx, ast.Load):
        return parent.slice
    if isinstance(parent, ast.Attribute) and isinstance(above, ast.Call) and above.func is parent:
        return above.args[0] if parent.attr in ("get", "pop") and above.args else None
    return None


def _only_asked(naming: Naming, table: ast.expr) -> bool:
    """Does the code only ask for the keys?"""
    parent = naming.parent
    if isinstance(parent, ast.Compare):
        return parent.left is not table
    if isinstance(parent, ast.Attribute):
        return parent.attr == "keys"
    if isinstance(parent, ast.keyword):
        return parent.arg == "choices"
    called = parent.func if isinstance(parent, ast.Call) else None
    return getattr(called, "id", getattr(called, "attr", "")) in _ASKS


def _under(project: Project, context: Context, naming: Naming, taken: ast.expr, entry: _Entry) -> Answer:
    """Does the run look up this key?"""
    found = sorted(Settings(project, context).of(taken, naming.function), key=str)
    if any(str(s.value) == str(entry.key.value) for s in found if s.value is not UNKNOWN):
        return Fatal()
    left = [s for s in found if s.value is UNKNOWN]
    if left or not found:
        return _open(project, left, taken, entry.key) or _read_then(project, naming, taken, entry)
    told = [s for s in found if s.flag and s.at]
    return _other(told[0], taken) if told else Fatal()


def _open(project: Project, left: list[Setting], taken: ast.expr, key: ast.Constant) -> Unclear | None:
    """A flag decides that nothing gives, or that the launch gives what other lines of it may say."""
    flags = [s for s in left if s.flag and not says(project, s, key)]
    if len(flags) < len(left) or not flags:
        return None
    return Unclear(f"{flags[0].name}: whether `{unparse(taken)}` is {key.value!r}", plausible=False)


def _read_then(project: Project, naming: Naming, taken: ast.expr, entry: _Entry) -> Answer:
    """A field decides that the run reads: not what differs from one turn of a loop to the next."""
    again = any(isinstance(node, _TURNS) for node in naming.around)
    if again or not entry.several or not _is_field(taken):
        return Fatal()
    told = f"whether `{unparse(taken)}` is {entry.key.value!r}"
    return Unclear(f"{told}, which nothing in the tree decides", plausible=False)


def _is_field(expr: ast.expr) -> bool:
    """`config.name` or `config["name"]`"""
    named = isinstance(expr, ast.Subscript) and isinstance(expr.slice, ast.Constant)
    return isinstance(expr, ast.Attribute) or (named and isinstance(expr.slice.value, str))  # type: ignore[attr-defined]


def _other(setting: Setting, taken: ast.expr) -> Excluded:
    assert setting.at is not None
    return Excluded(Note(setting.at, f"{setting.told}, so `{unparse(taken)}` names another entry"))
