"""What tests around a place in its function say of a run: of `if`, of conditional expressions, of `match`.
Excluded where one that a flag decides keeps the run out, unclear where it reads a flag that nothing gives."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from mmcodemod.facts.syntax import unparse, walk
from mmcodemod.model.context import Context
from mmcodemod.model.finding import Note
from mmcodemod.model.option import UNKNOWN
from mmcodemod.model.verdict import Answer, Excluded, Fatal, Unclear
from mmcodemod.project.flow import flow_of, holds, inline_tests
from mmcodemod.project.model import Project
from mmcodemod.project.naming_places import Naming
from mmcodemod.project.setting import Setting
from mmcodemod.project.settings import Settings, truths
from mmcodemod.project.skipped import of_own_objects, skipped_by

_DEEPSPEED = "deepspeed"


def come_in(project: Project, context: Context, naming: Naming) -> Answer:
    """Do the tests let a run get to the place?"""
    return let_to(project, context, naming.function, naming.node)


def let_to(project: Project, context: Context, function: str, node: ast.AST) -> Answer:
    """The same for a node of a function; ways to different places have the same beginnings."""
    return project.judging.once(
        context, node, f"let to {function}", lambda run: _let_to(project, run, function, node)
    )


def _let_to(project: Project, context: Context, function: str, node: ast.AST) -> Answer:
    skipped = skipped_by(project, context, function, node)
    if skipped is not None:
        return Excluded(skipped)
    answers = [*_inline(project, context, function, node), *_cases(project, context, function, node)]
    kept_out = next((a for a in answers if isinstance(a, Excluded)), None)
    known = kept_out or next(iter(answers), None)
    return known or next(_open(project, context, function, node), Fatal())


def _open(project: Project, context: Context, function: str, node: ast.AST) -> Iterator[Unclear]:
    for asked, outcome in flow_of(project, function).tests(node):
        if truths(project, context, asked.test, function) != {outcome}:
            comes = f"is {str(outcome).lower()}"
            yield from unclear(project, context, asked.test, function, comes)
            yield from _engine(asked.test, comes)


def _engine(test: ast.expr, comes: str) -> Iterator[Unclear]:
    """An open test that asks for DeepSpeed: different engines train on its sides."""
    text = unparse(test)
    if _DEEPSPEED in text.lower():
        yield Unclear(f"whether `{text}` {comes}")


def unclear(
    project: Project, context: Context, read: ast.expr, function: str, comes: str
) -> Iterator[Unclear]:
    """The flag that an expression reads and that nothing in the tree sets."""
    found = sorted(Settings(project, context).read_by(read, function), key=str)
    flags = [s for s in found if s.flag and s.value is UNKNOWN]
    if flags and not says(project, flags[0], read):
        yield Unclear(f"{flags[0].name}: whether `{unparse(read)}` {comes}", plausible=False)


def says(project: Project, setting: Setting, wanted: ast.expr) -> bool:
    """Does the script that gives a flag what does not show (`--kind $kind`) name one of the wanted texts, as
    the list of a loop does?"""
    texts = [n.value for n in walk(wanted) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    if setting.at is None or not setting.given:
        return False
    words = re.findall(rb"[\w.+-]+", project.tree.read_bytes(setting.at.path))
    return any(text.encode() in words for text in texts)


def _inline(project: Project, context: Context, function: str, node: ast.AST) -> Iterator[Answer]:
    for test, outcome in inline_tests(flow_of(project, function).statement_of(node), node):
        comes = truths(project, context, test, function)
        if outcome not in comes:
            yield from _decided(project, context, test, function)
        elif comes != {outcome}:
            yield from unclear(project, context, test, function, f"is {str(outcome).lower()}")


def _decided(project: Project, context: Context, test: ast.expr, function: str) -> Iterator[Answer]:
    read = sorted(Settings(project, context).read_by(test, function), key=str)
    own = of_own_objects(project, context, test, function)
    given = [s for s in read if s.flag and s.at and not own]
    yield from (_past(s, test) for s in given[:1])


def _past(setting: Setting, test: ast.expr) -> Excluded:
    assert setting.at is not None
    return Excluded(Note(setting.at, f"{setting.told}, so `{unparse(test)}` leads past it"))


def _cases(project: Project, context: Context, function: str, node: ast.AST) -> Iterator[Answer]:
    """Of the `match` statements around a place, those whose subject is a flag."""
    found = (a for a in flow_of(project, function).around(node) if isinstance(a, ast.Match))
    for around, case in ((a, c) for a in found for c in a.cases):
        if any(holds(s, node) for s in case.body):
            yield from _case(project, context, function, around, case)


def _case(
    project: Project, context: Context, function: str, around: ast.Match, case: ast.match_case
) -> Iterator[Answer]:
    found = sorted(Settings(project, context).of(around.subject, function), key=str)
    told = [s for s in found if s.flag and s.at and s.value is not UNKNOWN]
    before = around.cases[: around.cases.index(case)]
    if found and len(told) == len(found):
        if not any(_fits(case, s) and not any(_takes(c, s) for c in before) for s in told):
            yield _past(told[0], around.subject)
    else:
        yield from unclear(project, context, around.subject, function, f"is {_text(case)}")


def _fits(case: ast.match_case, setting: Setting) -> bool:
    """May the case take a value? One with a pattern of another kind may take any."""
    values = _values(case)
    return values is None or str(setting.value) in values


def _takes(case: ast.match_case, setting: Setting) -> bool:
    """Does it surely?"""
    return case.guard is None and str(setting.value) in (_values(case) or ())


def _values(case: ast.match_case) -> list[str] | None:
    """What its pattern takes; None where it is more than constants."""
    parts = case.pattern.patterns if isinstance(case.pattern, ast.MatchOr) else [case.pattern]
    plain = [p.value for p in parts if isinstance(p, ast.MatchValue)]
    values = [str(v.value) for v in plain if isinstance(v, ast.Constant)]
    return values if len(values) == len(parts) else None


def _text(case: ast.match_case) -> str:
    return f"`{unparse(case.pattern)}`"
