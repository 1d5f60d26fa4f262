"""Names of folders that each rank makes up for itself, from its clock or a random number, and the checkpoints
that all ranks together write there. May-analysis along names, attributes and returns."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from enum import Enum

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.definitions import bare_name
from mmcodemod.facts.nodes import node_of
from mmcodemod.facts.syntax import unparse, walk
from mmcodemod.facts.terms import last_name
from mmcodemod.knowledge.clocks import (
    CLOCKS,
    COARSE,
    DRAWN,
    FINE,
    FINE_FORMAT,
    FINE_PARTS,
    FORMATTERS,
    PARTS,
    UNIQUE,
)
from mmcodemod.knowledge.collectives import COLLECTIVES, METHODS
from mmcodemod.model.frozen import frozen
from mmcodemod.project.arguments import given_at
from mmcodemod.project.differs import rank_test
from mmcodemod.project.flow import start_of
from mmcodemod.project.model import Project
from mmcodemod.project.origins import Origins
from mmcodemod.project.stubs import MODELS, is_stub
from mmcodemod.project.taint import Taint

ENGINE, ACCELERATOR, TRAINER = "the DeepSpeed engine", "the Accelerator", "the Trainer"
_METHODS = {
    f"{MODELS}/deepspeed.py::DeepSpeedEngine.save_checkpoint": (ENGINE, ("save_dir", "tag")),
    f"{MODELS}/accelerate.py::Accelerator.save_state": (ACCELERATOR, ("output_dir",)),
}
_ARGUMENTS = ("transformers.TrainingArguments", "transformers.Seq2SeqTrainingArguments")
MAX_NODES = 400


class Why(Enum):
    """How far apart the ranks are."""

    ALWAYS = "always"
    SECONDS = "seconds"  # they may read the same
    DRAWN = "drawn"  # they may be seeded alike


@frozen()
class Written:
    """`call` in `function` writes a checkpoint of `by` to `value`, which `source` in `home` makes up."""

    function: str
    call: ast.Call
    by: str
    value: ast.expr
    source: ast.Call
    home: str
    why: Why


def written(project: Project) -> list[Written]:
    """All of them, in the order of files and lines. Use through `project.get(written)`."""
    found = {}
    for function, call, by, values in (*_saves(project), *_trainers(project)):
        for value in values:
            made = _made_up(project, value, function)
            if made is not None and (function, call.lineno) not in found:
                found[function, call.lineno] = Written(function, call, by, value, *made)
    return [found[key] for key in sorted(found)]


def _saves(project: Project) -> Iterator[tuple[str, ast.Call, str, list[ast.expr]]]:
    for method, (by, parameters) in _METHODS.items():
        for edge in project.callers(method):
            function = edge.caller.function
            if edge.site is None or is_stub(function):
                continue
            values = [given_at(edge.call, n, name) for n, name in enumerate(parameters)]
            yield function, edge.call, by, [v for v in values if v is not None]


def _trainers(project: Project) -> Iterator[tuple[str, ast.Call, str, list[ast.expr]]]:
    """TrainingArguments that code makes itself."""
    for facts in project.mentioning("output_dir"):
        for site in facts.body.calls:
            call = node_of(site) if last_name(site).endswith("Arguments") else None
            given = given_at(call, 0, "output_dir") if call is not None else None
            if call is not None and given is not None and project.names(call.func, facts.id) & {*_ARGUMENTS}:
                yield facts.id, call, TRAINER, [given]


# -- what makes a name up --------------------------------------------------------------------------------


def _made_up(project: Project, value: ast.expr, function: str) -> tuple[ast.Call, str, Why] | None:
    """The call that gives each rank a name of its own; None where all ranks have the same."""
    nodes = _nodes(project, value, function)
    words = {n.attr for n, _ in nodes if isinstance(n, ast.Attribute)}
    made = [(n, home) for n, home in nodes if isinstance(n, ast.Call)]
    calls = [(call, home) for call, home in made if rank_test(project, home, call) is None]
    for names, sure in ((UNIQUE, Why.ALWAYS), (CLOCKS, None), (DRAWN, Why.DRAWN)):
        for call, home in calls:
            if project.names(call.func, home) & names:
                why = sure or _fineness([c for c, _ in calls], words)
                return (call, home, why) if why else None
    return None


def _fineness(calls: list[ast.Call], attributes: set[str]) -> Why | None:
    """How fine a clock is that goes through these calls; None where days are all that is left."""
    words = {bare_name(call.func) for call in calls}
    formats = [
        a.value
        for call in calls
        if bare_name(call.func) in FORMATTERS
        for a in call.args
        if isinstance(a, ast.Constant) and isinstance(a.value, str)
    ]
    if any(FINE_FORMAT in text for text in formats):
        return Why.ALWAYS
    if words & FORMATTERS:
        return Why.SECONDS if not formats or any(part in t for t in formats for part in FINE) else None
    parts = attributes & PARTS
    if "date" in words or (parts and not parts & FINE_PARTS):
        return None
    if parts and "microsecond" not in parts:
        return Why.SECONDS
    return Why.SECONDS if words & COARSE else Why.ALWAYS


def _nodes(project: Project, value: ast.expr, function: str) -> list[tuple[ast.AST, str]]:
    """What a value is made of, with the functions; nothing where ranks exchange it on the way."""
    origins, todo, seen = Origins(project), [(value, function)], set[int]()
    found = list[tuple[ast.AST, str]]()
    while todo and len(seen) < MAX_NODES:
        expr, home = todo.pop(0)
        for node in walk(expr):
            if id(node) in seen:
                continue
            seen.add(id(node))
            if _exchanged(project, node, home):
                return []
            found.append((node, home))
            if isinstance(node, (ast.Name, ast.Attribute, ast.Call)):
                todo += [(o.expr, o.function) for o in origins.of(node, home) if o.expr is not node]
            if isinstance(node, ast.Attribute):
                todo += [(stored, home) for stored in _stored(project, node, home)]
    return found


def _exchanged(project: Project, node: ast.AST, function: str) -> bool:
    """Is it a collective, or a name that one is given?"""
    if isinstance(node, ast.Call):
        names = project.names(node.func, function)
        return not names.isdisjoint(COLLECTIVES) or bare_name(node.func) in METHODS
    if not isinstance(node, (ast.Name, ast.Attribute)):
        return False
    taint, text = project.get(Taint), unparse(node)
    return any(text in taint.cleaned(frame) for frame in project.frames(function))


def _stored(project: Project, expr: ast.Attribute, function: str) -> Iterator[ast.expr]:
    """What the function stores in an attribute of that text before it is read."""
    text = unparse(expr)
    for node in own_nodes(project.index.function(function).node):
        if isinstance(node, ast.Assign) and start_of(node) < start_of(expr):
            if any(unparse(target) == text for target in node.targets):
                yield node.value
