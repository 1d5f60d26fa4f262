"""The call graph as plain data: frames become dotted names, and every unresolved call gets its reason."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mmcodemod.facts.outline import MAIN
from mmcodemod.model.callmap import Call, CallMap, Function, Kind, Role, Unknown
from mmcodemod.model.grade import How
from mmcodemod.project import training
from mmcodemod.project.callgraph import CallGraph, Edge
from mmcodemod.project.calls import MAX_TARGETS, Builder
from mmcodemod.project.edges import is_import, library_calls
from mmcodemod.project.frame import Frame
from mmcodemod.project.model import Project
from mmcodemod.project.naming import Naming
from mmcodemod.project.pruning import built
from mmcodemod.project.reach import roots
from mmcodemod.project.stubs import INTRINSICS, MODELS
from mmcodemod.project.unresolved import Reasons

IMPORT, LIBRARY = "import", "library"
_STRENGTH = {how.value: rank for rank, how in enumerate(How)}
_MANY = f"one of more than {MAX_TARGETS} that it may call"


class Mapped:
    """A call graph of a project with names: of everything that may run, or from `starts` alone."""

    def __init__(self, project: Project, starts: Iterable[Frame] = ()) -> None:
        self.project = project
        chosen = list(starts)
        self.graph = built(Builder(project.solver), chosen) if chosen else whole_graph(project)
        paths = {frame.function.partition("::")[0] for frame in self.graph.frames}
        self.naming = Naming(project.index, paths)
        self._reasons = Reasons(project.resolver, self.graph, self.naming)

    def show(self, frames: Iterable[Frame] | None = None, title: str = "") -> CallMap:
        """The graph, or the part of it that runs in some frames."""
        every = self.graph.frames if frames is None else frames
        shown = [frame for frame in every if not _model_module(frame)]
        calls = self._calls(shown)
        functions = self._functions(shown)
        for name in sorted({c.callee for c in calls if c.how == LIBRARY} - functions.keys()):
            functions[name] = library_function(name)
        unknown = self.unknown({frame.function for frame in shown})
        return CallMap(title, tuple(sorted(functions.values(), key=_by_name)), calls, unknown)

    # -- functions ------------------------------------------------------------------------------------

    def _functions(self, frames: Iterable[Frame]) -> dict[str, Function]:
        """By name; a module's own code and its main code are one."""
        runs = self._roles()
        found: dict[str, Function] = {}
        for function in sorted({frame.function for frame in frames}):
            facts = self.function(function)
            role = runs.get(facts.name, Role.NONE)
            found[facts.name] = Function(facts.name, facts.module, facts.path, facts.line, facts.kind, role)
        return found

    def function(self, function: str) -> Function:
        """A function of the tree or of a framework model, by id."""
        path, _, qualname = function.partition("::")
        facts = self.project.index.function(function)
        kind = Kind.FRAMEWORK if path.startswith(MODELS) else Kind.TREE
        line = 1 if qualname == MAIN else facts.line
        return Function(self.naming.function(function), self.naming.module(path), path, line, kind)

    def _roles(self) -> dict[str, Role]:
        project = self.project
        entries = project.entries
        found = {}
        for role, some in ((Role.RUNS, training.main_entries(project.index)), (Role.TRAINS, entries)):
            for entry in some:
                for frame in roots(project.index, entry)[-1:]:
                    found[self.naming.function(frame.function)] = role
        return found

    # -- calls ----------------------------------------------------------------------------------------

    def _calls(self, frames: Iterable[Frame]) -> tuple[Call, ...]:
        """Several frames may hold the same call: the one that is best resolved is kept."""
        best: dict[tuple[str, str, str, int], Call] = {}
        for call in self._every(frames):
            key = (call.caller, call.callee, call.path, call.line)
            if key not in best or _rank(call) < _rank(best[key]):
                best[key] = call
        return tuple(sorted(best.values()))

    def _every(self, frames: Iterable[Frame]) -> Iterator[Call]:
        for frame in frames:
            for edge in self.graph.edges.get(frame, ()):
                if not _own_module(edge) and not _model_module(edge.callee):
                    yield self.call(edge)
            path = frame.function.partition("::")[0]
            caller = self.naming.function(frame.function)
            for name, line in library_calls(self.graph, frame):
                if name.startswith(INTRINSICS):
                    continue
                yield Call(caller, name, path, line, LIBRARY)

    def call(self, edge: Edge) -> Call:
        """An edge with names."""
        how = IMPORT if is_import(edge) else edge.how.value
        note = _MANY if edge.how is How.NAME_ONLY else ""
        path = edge.caller.function.partition("::")[0]
        caller, callee = (self.naming.function(f.function) for f in (edge.caller, edge.callee))
        return Call(caller, callee, path, edge.line, how, note)

    def unknown(self, functions: set[str]) -> tuple[Unknown, ...]:
        """The unresolved calls in some functions."""
        found = {self._reasons.of(u) for u in self.graph.unresolved if u.caller.function in functions}
        return tuple(sorted(found))


def whole_graph(project: Project) -> CallGraph:
    """From all entries, and of a library, from all its modules as well, with what only its users pass."""
    if not project.is_library:
        return project.whole_graph
    modules = [Frame(f.id) for f in project.functions() if f.qualname in ("<module>", MAIN)]
    return Builder(project.solver).build([*modules, *project.library_roots(), *project.graph.frames])


def library_function(name: str) -> Function:
    """A function that is only known by its name."""
    return Function(name, name.partition(".")[0], kind=Kind.LIBRARY)


def _own_module(edge: Edge) -> bool:
    """A function implies that its module has been run: true, and no call."""
    same = edge.caller.function.partition("::")[0] == edge.callee.function.partition("::")[0]
    return is_import(edge) and same


def _model_module(frame: Frame) -> bool:
    """A model of a framework says what its functions do, not what importing it runs."""
    path, _, qualname = frame.function.partition("::")
    return path.startswith(MODELS) and qualname == "<module>"


def _by_name(function: Function) -> str:
    return function.name


def _rank(call: Call) -> int:
    return _STRENGTH.get(call.how, len(_STRENGTH))
