"""Work of the main rank that is seen to take long: something is fetched whole, each example is a picture or
the like, one process goes through all examples in Python, or files are read one after the other. That the
work may be long is no sign: some hundred thousand texts are tokenized by many processes in a minute."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.syntax import unparse, walk
from mmcodemod.knowledge.long_work import DATASET_METHODS, DOWNLOADS, HUBS, OPENS, SLOW, WALKS
from mmcodemod.model.frozen import frozen
from mmcodemod.project.comes_by import Tests
from mmcodemod.project.flow import flow_of
from mmcodemod.project.infer import Frame
from mmcodemod.project.longwork import call_of
from mmcodemod.project.mapping import code_of
from mmcodemod.project.model import Project
from mmcodemod.project.sequences import Letter
from mmcodemod.project.values import FunctionRef

MAX_CALLS = 3  # from the function that is mapped to the call that takes its time
_SMALL = (".json", ".txt", ".py", ".md", ".model", ".yaml")
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp)


@frozen()
class Lengthy:
    """In `function`, at `node`: why it takes long. `way` are the calls from the first function to it; the
    `settled` tests ask whether there is what was seen there."""

    function: str
    node: ast.AST
    why: str
    way: tuple[tuple[str, ast.AST], ...] = ()

    def settled(self, project: Project) -> Tests:
        """`if function is not None:` around `dataset.map(function)`, of which the function was seen."""
        mapped = self.node.args[0] if isinstance(self.node, ast.Call) and self.node.args else None
        if not isinstance(mapped, ast.Name):
            return frozenset()
        asks = (mapped.id, f"{mapped.id} is not None")
        tests = flow_of(project, self.function).tests(self.node)
        return frozenset((test, true) for test, true in tests if true and unparse(test.test) in asks)


def lengthy(project: Project, frame: Frame, work: Letter) -> list[Lengthy]:
    """What makes the work long, in the functions that only the main rank runs; `frame` starts it."""
    own = call_of(project, frame, work)
    found, way = list[Lengthy](), tuple[tuple[str, ast.AST], ...]()
    for edge in work.via:
        way = (*way, (edge.caller.function, edge.call)) if edge.site is not None else way
        if not edge.callee.function.startswith("<"):
            found += [Lengthy(*seen, way) for seen in _inside(project, edge.callee.function)]
    if own is not None and not work.via:
        found += [Lengthy(own[1], own[0], why) for why in _call(project, own[0], own[1])]
    return found


def _inside(project: Project, function: str) -> Iterator[tuple[str, ast.AST, str]]:
    """What a function does that takes long, with its place."""
    for node in own_nodes(project.index.function(function).node):
        if isinstance(node, ast.Call):
            yield from ((function, node, why) for why in _call(project, node, function))
            loop = _opens(project, node, function)
            if loop is not None:
                yield function, loop, "the files of a folder are read one after the other"
        elif isinstance(node, _COMPREHENSIONS):
            if any(_mapped(project, g.iter, function) for g in node.generators):
                yield function, node, "one process goes through all examples in Python"
        elif isinstance(node, ast.For) and _mapped(project, node.iter, function):
            yield function, node, "one process goes through all examples in Python"


def _call(project: Project, call: ast.Call, function: str) -> Iterator[str]:
    """Why a call of a library takes long: it maps what is slow for each example, or fetches a repository."""
    if _word(call) in DATASET_METHODS and call.args:
        slow = _slow(project, call.args[0], function, 0)
        if slow:
            yield f"each example takes its time: `{slow}`"
    hubs = (n for n in project.names(call.func, function) if n.startswith(HUBS))
    if any(n.rpartition(".")[2] in DOWNLOADS for n in hubs) and not _few_files(call):
        yield "a whole repository is fetched"


def _few_files(call: ast.Call) -> bool:
    """Are only small files asked for?"""
    given = next((k.value for k in call.keywords if k.arg == "allow_patterns"), None)
    texts = [n.value for n in walk(given) if isinstance(n, ast.Constant)] if given is not None else []
    return bool(texts) and all(str(text).endswith(_SMALL) for text in texts)


def _slow(project: Project, mapped: ast.expr, function: str, depth: int) -> str:
    """The call that takes its time in a function that is mapped; "" when none shows."""
    calls = [(n, f) for n, f in code_of(project, mapped, function) if isinstance(n, ast.Call)]
    found = sorted(n for call, f in calls for n in project.names(call.func, f) & SLOW)
    if found or depth >= MAX_CALLS:
        return found[0] if found else ""
    inner = ((c.func, f) for c, f in calls if _of_tree(project, c.func, f))
    return next((slow for func, f in inner if (slow := _slow(project, func, f, depth + 1))), "")


def _of_tree(project: Project, func: ast.expr, function: str) -> bool:
    return any(isinstance(value, FunctionRef) for value in project.values(func, function))


def _opens(project: Project, call: ast.Call, function: str) -> ast.AST | None:
    """The loop over files of a folder that reads each of them at a call."""
    if _word(call) not in OPENS:
        return None
    loops = flow_of(project, function).loops(call)
    return loops[-1] if loops and project.calls_of(function, WALKS) else None


def _mapped(project: Project, given: ast.expr, function: str) -> bool:
    """Is it a dataset that the function has just mapped?"""
    if not isinstance(given, ast.Name):
        return False
    sources = project.resolver.body(function).names.get(given.id, ())
    made = [s.expr for s in sources if isinstance(s.expr, ast.Call)]
    return any(isinstance(c.func, ast.Attribute) and c.func.attr in DATASET_METHODS for c in made)


def _word(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
