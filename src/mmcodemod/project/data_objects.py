"""The objects of dataclasses of the tree that a run makes: what `HfArgumentParser` returns, or a call of the
class. Must-analysis of the class; see declared_names for what it has.

Source: transformers, `HfArgumentParser`: its methods return an object of each class, in the order of
`dataclass_types`, and after these what they could not parse.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import islice

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.definitions import bare_name
from mmcodemod.facts.python import FunctionFacts
from mmcodemod.facts.terms import last_name
from mmcodemod.model.context import Entry
from mmcodemod.model.frozen import frozen
from mmcodemod.project.arguments import given_at
from mmcodemod.project.declared_names import declared_names
from mmcodemod.project.made_objects import Made
from mmcodemod.project.model import Project
from mmcodemod.project.sole_definitions import Definitions, Names, Sole

MAX_MADE = 8  # calls of classes in the program's own file: a walk each
_PARSER = "transformers.HfArgumentParser"
_PARSES = frozenset(("parse_args_into_dataclasses", "parse_json_file", "parse_yaml_file", "parse_dict"))


@frozen()
class DataObject:
    """An object of the class `cls`, and all names that this has."""

    made: Made
    cls: str
    declared: frozenset[str]


def data_objects(project: Project, entry: Entry) -> Iterator[DataObject]:
    """Those whose class shows whole."""
    definitions, reach = Definitions(project, entry.path), project.reach(entry)
    for facts in project.mentioning("HfArgumentParser"):
        if facts.id in reach:
            yield from _parsed(project, definitions, facts)
    functions = project.index.files[entry.path].functions.values()
    called = (o for f in functions if f.id in reach for o in _called(project, definitions, f))
    yield from islice(called, MAX_MADE)


# -- HfArgumentParser -------------------------------------------------------------------------------


def _parsed(project: Project, definitions: Definitions, facts: FunctionFacts) -> Iterator[DataObject]:
    """The objects that the parser of a function gives it."""
    if not any(last_name(call) in _PARSES for call in facts.body.calls):
        return
    local, parsers = Names(facts.node), dict[int, tuple[ast.Call, list[ast.Call]]]()
    for call in _calls(facts, _PARSES):
        made = _parser(project, facts, call, local)
        if made is not None:
            parsers.setdefault(id(made), (made, []))[1].append(call)
    for made, calls in parsers.values():
        for item, cls in enumerate(_classes(made)):
            found = definitions.of(cls, facts.path, local)
            yield from _of(project, definitions, found, Made(facts.path, tuple(calls), item))


def _parser(project: Project, facts: FunctionFacts, parses: ast.Call, local: Names) -> ast.Call | None:
    """The call that makes the parser which is asked to parse."""
    assert isinstance(parses.func, ast.Attribute)
    made: ast.expr | None = parses.func.value
    if isinstance(made, ast.Name):
        scope = local if made.id in local.bound else Names(project.index.files[facts.path].tree)
        bound = scope.bound.get(made.id, [])
        made = scope.given.get(id(bound[0])) if len(bound) == 1 else None
    if not isinstance(made, ast.Call) or project.names(made.func, facts.id) != {_PARSER}:
        return None
    return made


def _classes(made: ast.Call) -> list[ast.expr]:
    given = given_at(made, 0, "dataclass_types")
    if isinstance(given, (ast.Tuple, ast.List)):
        return [] if any(isinstance(e, ast.Starred) for e in given.elts) else given.elts
    return [given] if given is not None else []


# -- calls of the class -----------------------------------------------------------------------------


def _called(project: Project, definitions: Definitions, facts: FunctionFacts) -> Iterator[DataObject]:
    """The objects that a function makes itself."""
    names = project.get(_dataclasses)
    if not any(last_name(call) in names for call in facts.body.calls):
        return
    local = Names(facts.node)
    for call in _calls(facts, names):
        found = definitions.of(call.func, facts.path, local)
        yield from _of(project, definitions, found, Made(facts.path, (call,)))


def _dataclasses(project: Project) -> frozenset[str]:
    """The names of those of the tree. Use through `project.get(_dataclasses)`."""
    classes = (
        cls for path in project.index.python_files for cls in project.index.files[path].classes.values()
    )
    return frozenset(cls.name for cls in classes if "dataclass" in cls.decorators)


def _of(project: Project, definitions: Definitions, found: Sole | None, made: Made) -> Iterator[DataObject]:
    declared = declared_names(project, definitions, found)
    if declared is not None and found is not None and found.node is not None:
        yield DataObject(made, found.node.name, declared)


def _calls(facts: FunctionFacts, names: frozenset[str]) -> Iterator[ast.Call]:
    """The calls of a function's own code by what is called, in their order."""
    calls = (n for n in own_nodes(facts.node) if isinstance(n, ast.Call) and bare_name(n.func) in names)
    yield from sorted(calls, key=lambda call: (call.lineno, call.col_offset))
