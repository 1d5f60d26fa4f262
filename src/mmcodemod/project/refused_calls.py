"""Launches that die before they train at a call which Python refuses: a function or class of the tree does
not take the arguments. Must-analysis: only calls that the run surely makes, of the only definition that can
be meant, with a training step after them and none before."""

from __future__ import annotations

import ast
from dataclasses import replace

from mmcodemod.facts.outline import MAIN, MODULE
from mmcodemod.facts.python import FunctionFacts
from mmcodemod.facts.terms import Attribute, Call, Name
from mmcodemod.model.context import Context, Entry
from mmcodemod.model.place import Place
from mmcodemod.project.call_signatures import Signatures, refused
from mmcodemod.project.death import Death, dead_at
from mmcodemod.project.model import Project
from mmcodemod.project.other_release import may_be_other
from mmcodemod.project.plain_functions import runs_its_body
from mmcodemod.project.sole_definitions import Definitions, Names, Sole
from mmcodemod.project.stubs import is_stub
from mmcodemod.project.sure_steps import sure_calls, sure_steps
from mmcodemod.project.sure_way import Level, before_training, ends_before
from mmcodemod.project.values import ClassRef, FunctionRef, Value

MAX_DEPTH = 6
_RUNNERS = ("fire.Fire", "typer.run", "absl.app.run", "torch.multiprocessing.spawn")


def dies_calling(project: Project, context: Context) -> Death | None:
    """How a launch dies at a call that is refused; None when nothing shows that."""
    entry = context.entry
    if entry is None or entry.library or entry.path not in project.index.files:
        return None
    memo = project.get(_memo)
    key = entry.path, entry.symbol
    if key not in memo:
        memo[key] = _Run(project, entry).dies() if _suspicious(project, entry) else None
    death, way = memo[key] or (None, ())
    return None if ends_before(project, context, way) else death


def _memo(project: Project) -> dict[tuple[str, str], _End | None]:
    return {}


_End = tuple[Death, tuple[Level, ...]]
"""How a run ends, and how it gets there."""


class _Run:
    """What a run surely does from its start, call by call."""

    def __init__(self, project: Project, entry: Entry) -> None:
        self._project = project
        self._entry = entry
        self._definitions = Definitions(project, entry.path)
        self._signatures = Signatures(project, self._definitions)
        self._seen: set[str] = set()

    def dies(self) -> _End | None:
        """The first call that is refused."""
        path, symbol = self._entry.path, self._entry.symbol
        starts = [MODULE, MAIN if symbol == MODULE else symbol]
        functions = self._project.index.files[path].functions
        found = (self._follow(functions[name], ()) for name in starts if name in functions)
        return next((end for end in found if end), None)

    def _follow(self, facts: FunctionFacts, above: tuple[Level, ...]) -> _End | None:
        self._seen.add(facts.id)
        local = None if facts.is_module else Names(facts.node)
        for step in sure_steps(facts.node):
            levels = (*above, Level(facts.id, step.statement, step.left))
            for call in sure_calls(step.expr):
                end = self._call(call, facts.path, local, levels)
                if end:
                    return end
        return None

    def _call(self, call: ast.Call, path: str, local: Names | None, levels: tuple[Level, ...]) -> _End | None:
        called = self._definitions.of(call.func, path, local)
        if called is not None and called.library in _RUNNERS and call.args:
            called = self._definitions.of(call.args[0], path, local)
            return self._into(called, levels) if called and called.node else None
        if called is None or called.node is None:
            return None
        why = self._signatures.refusal(call, called)
        if why and before_training(self._project, levels):
            at, home = Place(path, call.lineno), Place(called.path, called.node.lineno)
            death = dead_at(at, "TypeError", f"`{called.node.name}`, which {home} defines, {why}")
            other = may_be_other(self._project, called.path, self._entry.path)
            return replace(death, sure=not other), levels
        return self._into(called, levels)

    def _into(self, called: Sole, levels: tuple[Level, ...]) -> _End | None:
        facts = self._signatures.runs(called)
        if facts is None or facts.id in self._seen or len(levels) > MAX_DEPTH:
            return None
        return self._follow(facts, levels) if runs_its_body(facts) else None


# -- the quick question ------------------------------------------------------------------------------------


def _suspicious(project: Project, entry: Entry) -> bool:
    """Might anything be found? Asked of the facts, without reading a file again."""
    known = project.get(_doubtful)
    for function in project.reach(entry).functions:
        if is_stub(function):
            continue
        if function not in known:
            facts = project.index.function(function)
            known[function] = any(_may_be_refused(project, facts, call) for call in facts.body.calls)
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
        return bool(refused(call, project.index.function(made).parameters, 0))
    init = project.resolver.classes.find(made, "__init__")
    return init is not None and bool(refused(call, project.index.function(init).parameters, 1))
