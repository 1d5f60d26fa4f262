"""Where the data of a loop that trains comes from, also out of a dict or a list of loaders. May-analysis."""

from __future__ import annotations

import ast

from mmcodemod.project.flow import flow_of, holds
from mmcodemod.project.kept import Kept
from mmcodemod.project.local_data import passes, through, training_functions
from mmcodemod.project.looped import Looped, looped, picked
from mmcodemod.project.model import Project
from mmcodemod.project.origins import Origin


def trained_loaders(project: Project, function: str, batches: ast.For) -> list[Origin]:
    """What a loop goes over that trains in the function. Where the key does not show, and several loaders may
    stand there, it is the place in the dict: not all of them need be trained on."""
    given = _where_it_trains(project, function, through(batches.iter))
    kept = _over(project, function, given)
    key = _key(project, function, batches, kept) if kept is not None else True
    if kept is not None and isinstance(key, ast.Constant):
        given = ast.copy_location(ast.Subscript(kept.held, key, ast.Load()), given)
    found = project.get(Kept).of(given, function)
    several = key is None or (isinstance(given, ast.Subscript) and not isinstance(given.slice, ast.Constant))
    return [Origin(given, function)] if several and len(found) > 1 else found


def _over(project: Project, function: str, given: ast.expr) -> Looped | None:
    """The loop over a dict or a list of loaders that gives a name the one that is gone over."""
    sources = project.resolver.body(function).names.get(given.id, ()) if isinstance(given, ast.Name) else ()
    return looped(project, function, sources[0]) if len(sources) == 1 else None


def _key(project: Project, function: str, batches: ast.For, kept: Looped) -> ast.Constant | bool | None:
    """The key of the loader with which it trains; True where it does so with all, None where that is open."""
    edges = (e for frame in project.frames(function) for e in project.graph.edges.get(frame, ()))
    steps = [
        e.call for e in edges if e.site is not None and e.callee.function in project.get(training_functions)
    ]
    own = [found.call for found in passes(project, function)]
    ways = [picked(project, function, kept, node) for node in (*own, *steps) if holds(batches, node)]
    keys = {way.value if isinstance(way, ast.Constant) else way for way in ways}
    return ways[0] if len(keys) == 1 else None


def _where_it_trains(project: Project, function: str, given: ast.expr) -> ast.expr:
    """`loaders["train"]` for `loaders[phase]`, where all that trains stands under `if phase == "train"`."""
    if not isinstance(given, ast.Subscript) or not isinstance(given.slice, ast.Name):
        return given
    told = [_told(project, function, found.call, given.slice.id) for found in passes(project, function)]
    keys = {ast.dump(key) for key in told if key is not None}
    if not told or told[0] is None or None in told or len(keys) > 1:
        return given
    return ast.copy_location(ast.Subscript(given.value, told[0], given.ctx), given)


def _told(project: Project, function: str, node: ast.AST, name: str) -> ast.Constant | None:
    """The constant that a variable has where the node runs, as a test says."""
    for test in (test.test for test, outcome in flow_of(project, function).tests(node) if outcome):
        match test:
            case ast.Compare(left=ast.Name(id=left), ops=[ast.Eq()], comparators=[ast.Constant() as key]):
                if left == name:
                    return key
    return None
