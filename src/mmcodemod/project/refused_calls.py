"""Launches that die before they train at a call which Python refuses: a function or class of the tree does
not take the arguments, or gives back another number of values than are taken apart. Must-analysis: only calls
that the run surely makes, of the only definition that can be meant, with a training step after them and none
before."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from mmcodemod.facts.outline import MODULE
from mmcodemod.facts.python import FunctionFacts
from mmcodemod.facts.terms import Attribute, Call, Name
from mmcodemod.model.context import Context, Entry
from mmcodemod.model.place import Place
from mmcodemod.project.call_signatures import Signatures, refused
from mmcodemod.project.death import Death, dead_at
from mmcodemod.project.demanded_arguments import DEMANDS, left_to_defaults
from mmcodemod.project.model import Project
from mmcodemod.project.other_release import may_be_other
from mmcodemod.project.plain_functions import runs_its_body
from mmcodemod.project.sole_definitions import Sole
from mmcodemod.project.stubs import is_stub
from mmcodemod.project.sure_run import Made, Steps, SureRun, surely, takes, under_tests
from mmcodemod.project.sure_way import Level, before_training
from mmcodemod.project.texts_of_files import text_of
from mmcodemod.project.unpacked_counts import given, may_differ, taken
from mmcodemod.project.values import ClassRef, FunctionRef, Value


def dies_calling(project: Project, context: Context) -> Death | None:
    """How a launch dies at a call that is refused; None when nothing shows that."""
    entry = context.entry
    if entry is None or entry.library or entry.path not in project.index.files:
        return None
    memo = project.get(_memo)
    key = entry.path, entry.symbol
    if key not in memo:
        memo[key] = _ends(project, entry) if _suspicious(project, entry) else []
    return next((death for death, way in memo[key] if takes(project, context, way)), None)


def _memo(project: Project) -> dict[tuple[str, str], list[_End]]:
    return {}


_End = tuple[Death, tuple[Level, ...]]
"""How a run ends, and how it gets there."""


def _ends(project: Project, entry: Entry) -> list[_End]:
    """What every run comes to, and what the runs come to that some tests let in."""
    sure = next(_dies(project, entry, surely), None)
    tested = (end for end in _dies(project, entry, under_tests) if any(v.tests for v in end[1]))
    return [*([sure] if sure else []), *tested]


def _dies(project: Project, entry: Entry, steps: Steps) -> Iterator[_End]:
    """The calls that are refused, in the order in which the run comes to them."""
    run = SureRun(project, entry, steps)
    for made in run.calls():
        death = _apart(project, run.signatures, made) if made.over else _refused(project, run, entry, made)
        if death and before_training(project, made.way):
            yield death, made.way


def _refused(project: Project, run: SureRun, entry: Entry, made: Made) -> Death | None:
    called = made.called
    if called is None or called.node is None:
        return None
    why, error = _refusal(run.signatures, made.call, called)
    if not why:
        return None
    at, home = Place(made.path, made.call.lineno), Place(called.path, called.node.lineno)
    death = dead_at(at, error, f"`{called.node.name}`, which {home} defines, {why}")
    return replace(death, sure=not may_be_other(project, called.path, entry.path))


def _refusal(signatures: Signatures, call: ast.Call, called: Sole) -> tuple[str, str]:
    """Why a call is refused, by the signature or in the body, and what that raises."""
    why = signatures.refusal(call, called)
    name, error = ("", "TypeError") if why else signatures.demand(call, called)
    return why or (f"stops where `{name}` is None" if name else ""), error


def _apart(project: Project, signatures: Signatures, made: Made) -> Death | None:
    """Where the call gives back another number of values than the statement takes apart."""
    wanted = taken(made.way[-1].step, made.call)
    called = made.called if wanted else None
    facts = signatures.runs(called) if called and isinstance(called.node, ast.FunctionDef) else None
    if called is None or facts is None or not runs_its_body(project, facts):
        return None
    values = given(facts)
    if not values or values == wanted:
        return None
    home = Place(called.path, facts.line)
    why = f"`{facts.name}`, which {home} defines, returns {values} values, and {wanted} are taken"
    return dead_at(Place(made.path, made.call.lineno), "ValueError", why)


# -- the quick question ------------------------------------------------------------------------------------


def _suspicious(project: Project, entry: Entry) -> bool:
    """Might anything be found? Asked of the facts, without reading a file again."""
    known = project.get(_doubtful)
    for function in project.reach(entry).functions:
        if is_stub(function):
            continue
        if function not in known:
            facts = project.index.function(function)
            refused_here = any(_may_be_refused(project, facts, call) for call in facts.body.calls)
            known[function] = refused_here or project.once(_may_part, facts.path)
        if known[function]:
            return True
    return False


def _doubtful(project: Project) -> dict[str, bool]:
    """By function: is there a call that a definition of that name would refuse? Filled by `_suspicious`."""
    return {}


def _may_be_refused(project: Project, facts: FunctionFacts, call: Call) -> bool:
    """Does it take the name of a definition that would refuse it, and may it mean that one?"""
    func = call.func
    if not isinstance(func, Name) and not (isinstance(func, Attribute) and isinstance(func.value, Name)):
        return False
    name = func.id if isinstance(func, Name) else func.attr
    name = project.get(_renamed).get((facts.path, name), name)
    refusing = {made for made in project.get(_defined).get(name, ()) if _refuses(project, call, made)}
    return bool(refusing) and any(_meant(v) in refusing for v in project.values(func, facts.id))


def _may_part(project: Project, path: str) -> bool:
    return may_differ(project, path, project.get(_defined))


def _meant(value: Value) -> str:
    if isinstance(value, ClassRef):
        return value.cls
    return value.function if isinstance(value, FunctionRef) else ""


def _renamed(project: Project) -> dict[tuple[str, str], str]:
    """What imports give another name, by file and that name."""
    found = {}
    for path in project.index.python_files:
        file = project.index.files[path]
        for one in (*file.imports, *(i for f in file.functions.values() for i in f.imports)):
            if one.name and one.name != one.bound:
                found[path, one.bound] = one.name
    return found


def _defined(project: Project) -> dict[str, list[str]]:
    """The functions and classes at the top of the files, by their plain name: ids of what a call of them
    runs."""
    found: dict[str, list[str]] = {}
    for path in project.index.python_files:
        file = project.index.files[path]
        for facts in file.functions.values():
            if facts.parent == MODULE and facts.owner is None:
                found.setdefault(facts.name, []).append(facts.id)
        for cls in file.classes.values():
            if "." not in cls.qualname:
                found.setdefault(cls.name, []).append(cls.id)
    return found


def _refuses(project: Project, call: Call, made: str) -> bool:
    path, _, name = made.partition("::")
    if name in project.index.files[path].functions:
        return _stops(project, call, made, 0)
    init = project.resolver.classes.find(made, "__init__")
    return init is not None and _stops(project, call, init, 1)


def _stops(project: Project, call: Call, function: str, skip: int) -> bool:
    """May the function refuse the call, or ask in its body for what the call leaves out?"""
    given = project.index.function(function).parameters
    if refused(call, given, skip):
        return True
    left = left_to_defaults(call, given, skip)
    return bool(left) and not left.isdisjoint(project.once(_demands, function.partition("::")[0]))


def _demands(project: Project, path: str) -> frozenset[str]:
    """The names of which a file says that they are not None."""
    return frozenset(DEMANDS.findall(text_of(project, path)) if not is_stub(path) else ())
