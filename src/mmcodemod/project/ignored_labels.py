"""Labels that a loss leaves out (-100, the `ignore_index` of torch's cross entropy): where samples get them,
where labels are cut at a length, and where the code asks whether any other label is left. May-analysis."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from mmcodemod.facts.body import Via, own_nodes
from mmcodemod.facts.python import FunctionFacts
from mmcodemod.model.context import Context
from mmcodemod.model.frozen import frozen
from mmcodemod.model.pattern import regex
from mmcodemod.model.place import Place
from mmcodemod.project.emission import is_producer
from mmcodemod.project.model import Project
from mmcodemod.project.origins import Origins
from mmcodemod.project.values import Bound, FunctionRef, ordered

IGNORED = -100
LIBRARY = "LabelSmoother.ignore_index"  # the same number, in transformers.trainer_pt_utils
_WORDS = ("-100", "ignore_index", "IGNORE", "Ignore")
_NAMED = regex(r"ignore|pad_token_label", re.IGNORECASE)
_COUNTING = ("sum", "any", "all", "count_nonzero", "item", "int", "bool", "long", "float")
MAX_STEPS = 8


def is_ignored(project: Project, expr: ast.expr, function: str) -> bool:
    """Is the expression the ignored label, whatever it is called?"""
    if isinstance(expr, (ast.Name, ast.Attribute)):
        if any(name.endswith(LIBRARY) for name in project.names(expr, function)):
            return True
        found = [o.expr for o in Origins(project).of(expr, function)]
        return bool(found) and all(number_of(e) == IGNORED for e in found)
    return number_of(expr) == IGNORED


def number_of(expr: ast.expr) -> object:
    """The number that is written there; None when it is no number."""
    if isinstance(expr, ast.UnaryOp) and isinstance(expr.op, ast.USub):
        value = number_of(expr.operand)
        return -value if isinstance(value, int) else None
    return expr.value if isinstance(expr, ast.Constant) else None


# -- prompts without labels -----------------------------------------------------------------------------


def masked_prompt(project: Project) -> Place | None:
    """Where the code that makes samples takes the labels from a part of one: `labels[:n] = -100`,
    `full_like(ids, -100)`, `[-100] * n`. Padding, and what a forward pass fills in, is no part of a sample.
    Use through `project.get`."""
    return next((project.place(facts.path, node) for facts, node in project.get(prompt_masks)), None)


def prompt_masks(project: Project) -> list[tuple[FunctionFacts, ast.AST]]:
    """The first such place of each function, with the function."""
    forward = {facts.id for facts in project.forward_functions()}
    found = [
        (facts, next((n for n in own_nodes(facts.node) if _masks(project, facts.id, n)), None))
        for facts in project.mentioning(*_WORDS)
        if facts.id in project.trained and facts.id not in forward
    ]
    return [(facts, node) for facts, node in found if node is not None]


def prompts_of_run(project: Project, context: Context) -> bool:
    """Does code of this run take labels from a part of a sample? Where no run is known, any code."""
    reach = project.reach(context.entry) if context.entry else None
    return any(reach is None or facts.id in reach for facts, _ in project.get(prompt_masks))


def cuts_of_run(project: Project, context: Context, key: str) -> list[Cut]:
    """Of `cuts`, those in functions that this run reaches."""
    reach = project.reach(context.entry) if context.entry else None
    return [cut for cut in cuts(project, key) if reach is None or cut.function in reach]


def _masks(project: Project, function: str, node: ast.AST) -> bool:
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
        part = node.targets[0].slice
        sliced = any(isinstance(p, ast.Slice) and (p.lower or p.upper) for p in _parts(part))
        return sliced and _is_label(project, node.value, function)
    if isinstance(node, ast.Call) and len(node.args) > 1:
        name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        return name == "full_like" and _is_label(project, node.args[1], function)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult) and isinstance(node.left, ast.List):
        return len(node.left.elts) == 1 and _is_label(project, node.left.elts[0], function)
    return False


def _parts(part: ast.expr) -> list[ast.expr]:
    return part.elts if isinstance(part, ast.Tuple) else [part]


def _is_label(project: Project, expr: ast.expr, function: str) -> bool:
    """`is_ignored`, asked only of what may be: other names are not followed."""
    text = expr.attr if isinstance(expr, ast.Attribute) else expr.id if isinstance(expr, ast.Name) else ""
    return (not text or bool(_NAMED.search(text))) and is_ignored(project, expr, function)


# -- questions --------------------------------------------------------------------------------------------


def asked_for(project: Project) -> Place | None:
    """Where training code decides by which labels are left: a comparison with the ignored label in a test, in
    what a function returns, or in a name that a test asks. Use through `project.get`."""
    for facts in project.mentioning(*_WORDS):
        if facts.id in project.trained and not facts.is_module:
            for node in _deciding(project, facts):
                for inner in own_nodes(node):
                    if _compares(project, facts.id, inner):
                        return project.place(facts.path, inner)
    return None


def _deciding(project: Project, facts: FunctionFacts) -> Iterator[ast.expr]:
    """Tests and returned values, and what their names are given."""
    nodes = list(own_nodes(facts.node))
    single = {n.target.id for n in nodes if isinstance(n, ast.For) and isinstance(n.target, ast.Name)}
    for node in nodes:
        if isinstance(node, (ast.If, ast.IfExp, ast.While, ast.Assert)):
            if not _of_one(node.test, single):
                yield node.test
                yield from _given(project, facts, node.test)
        elif isinstance(node, ast.Return) and isinstance(node.value, (ast.Compare, ast.BoolOp, ast.Call)):
            yield node.value


def _of_one(test: ast.expr, single: set[str]) -> bool:
    """`if label == -100` in a loop over labels: one of them, not what is left."""
    return isinstance(test, ast.Compare) and isinstance(test.left, ast.Name) and test.left.id in single


def _given(project: Project, facts: FunctionFacts, test: ast.expr) -> Iterator[ast.expr]:
    """The values of the names in a test, and of the mask that such a name counts (`n = mask.sum()`)."""
    values = [v for name in own_nodes(test) for v in _values(project, facts, name)]
    counted = [
        value for v in values if v is not (root := _counted(v)) for value in _values(project, facts, root)
    ]
    yield from (*values, *counted)


def _values(project: Project, facts: FunctionFacts, node: ast.AST) -> list[ast.expr]:
    """What a name is given."""
    sources = project.resolver.body(facts.id).names.get(node.id, ()) if isinstance(node, ast.Name) else ()
    return [source.expr for source in sources if source.via is Via.VALUE]


def _counted(expr: ast.expr) -> ast.expr:
    """`mask` of `mask.sum().item()` and `int(mask.any())`."""
    while isinstance(expr, ast.Call):
        method = isinstance(expr.func, ast.Attribute) and expr.func.attr in _COUNTING and not expr.args
        called = expr.func.attr if isinstance(expr.func, ast.Attribute) else getattr(expr.func, "id", "")
        if not method and (called not in _COUNTING or len(expr.args) != 1):
            return expr
        expr = expr.func.value if method else expr.args[0]  # type: ignore[attr-defined]
    return expr


def _compares(project: Project, function: str, node: ast.AST) -> bool:
    if isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.Eq, ast.NotEq, ast.Gt, ast.GtE)):
        return _is_label(project, node.comparators[0], function)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
        return node.func.attr in ("eq", "ne", "count") and _is_label(project, node.args[0], function)
    return False


# -- labels that are cut ----------------------------------------------------------------------------------


@frozen()
class Cut:
    """`labels[:n]` in `function`: what is kept of a sample's labels."""

    function: str
    node: ast.Subscript


def cuts(project: Project, key: str) -> list[Cut]:
    """Where training code that makes samples or batches cuts the labels that it puts under `key`. Pieces that
    are put together afterwards are cut one by one, which may keep all targets: they do not count."""
    return project.once(_cuts_under, key)


def _cuts_under(project: Project, key: str) -> list[Cut]:
    found: dict[int, Cut] = {}
    for facts in project.mentioning(key):
        if facts.id in project.trained and is_producer(project, facts):
            for value in _emitted(facts, key):
                for cut in _Cuts(project).of(value, facts.id, MAX_STEPS):
                    found.setdefault(id(cut.node), cut)
    return list(found.values())


def _emitted(facts: FunctionFacts, key: str) -> Iterator[ast.expr]:
    """The values of `x["key"] = ...`, `{"key": ...}` and `dict(key=...)`."""
    for node in own_nodes(facts.node):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
            if _is_key(node.targets[0].slice, key):
                yield node.value
        elif isinstance(node, (ast.Dict, ast.Call)):
            yield from _held(node, key)


def _held(node: ast.AST, key: str) -> list[ast.expr]:
    """The values that a dict, or the keywords of a call, have for a key."""
    if isinstance(node, ast.Dict):
        return [v for k, v in zip(node.keys, node.values) if _is_key(k, key)]
    return [k.value for k in node.keywords if k.arg == key] if isinstance(node, ast.Call) else []


def _is_key(node: ast.expr | None, key: str) -> bool:
    return isinstance(node, ast.Constant) and node.value == key


class _Cuts:
    """Follows one value back through names, keys of dicts and functions of the tree."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._seen: set[tuple[int, str]] = set()

    def of(self, expr: ast.expr, function: str, steps: int, key: str = "") -> Iterator[Cut]:
        """The cuts of an expression, or of what it holds under `key`."""
        if (id(expr), key) in self._seen or not steps:
            return
        self._seen.add((id(expr), key))
        if key and (held := _held(expr, key)):
            for value in held:
                yield from self.of(value, function, steps - 1)
        elif isinstance(expr, ast.Subscript) and isinstance(expr.slice, ast.Constant) and not key:
            yield from self.of(expr.value, function, steps, str(expr.slice.value))
        else:
            yield from self._inside(expr, function, steps, key)

    def _inside(self, expr: ast.expr, function: str, steps: int, key: str) -> Iterator[Cut]:
        if isinstance(expr, ast.Subscript) and _keeps_start(expr.slice) and not key:
            yield Cut(function, expr)
        elif isinstance(expr, ast.Name):
            for source in self._project.resolver.body(function).names.get(expr.id, ()):
                if source.via is Via.VALUE and source.index < 0:
                    yield from self.of(source.expr, function, steps - 1, key)
        elif isinstance(expr, ast.Call):
            yield from self._called(expr, function, steps, key)
        elif not key:
            for part in _parts_of(expr):
                yield from self.of(part, function, steps)

    def _called(self, call: ast.Call, function: str, steps: int, key: str) -> Iterator[Cut]:
        for value in ordered(self._project.values(call.func, function)):
            if isinstance(value, (FunctionRef, Bound)) and not value.function.startswith("<"):
                for returned in self._project.resolver.body(value.function).returns:
                    yield from self.of(returned, value.function, steps - 1, key)
        receiver = [call.func.value] if isinstance(call.func, ast.Attribute) else []
        for part in () if key else (*receiver, *call.args):
            yield from self.of(part, function, steps)


def _parts_of(expr: ast.expr) -> list[ast.expr]:
    """The parts that make up a value, not those of sums (pieces are cut so that targets stay) and tests."""
    if isinstance(expr, (ast.BinOp, ast.Compare, ast.Dict)):
        return []
    if isinstance(expr, (ast.ListComp, ast.GeneratorExp)):
        return [expr.elt, *(g.iter for g in expr.generators)]
    if isinstance(expr, ast.Subscript):
        return [expr.value]
    return [e for e in ast.iter_child_nodes(expr) if isinstance(e, ast.expr)]


def _keeps_start(part: ast.expr) -> bool:
    """`[:n]` and `[:, :n]`, but not `[:-1]`."""
    last = _parts(part)[-1]
    if not isinstance(last, ast.Slice) or last.lower is not None or last.upper is None:
        return False
    number = number_of(last.upper)
    whole = isinstance(number, int) and number > 1
    return last.step is None and (whole or isinstance(last.upper, (ast.Name, ast.Attribute)))
