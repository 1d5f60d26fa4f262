"""What a method draws at random, and what of its object holds it afterwards: another order, other rows. By
names and attributes, whatever the order of the statements; through methods of the object and what functions
return. May-analysis."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Set
from dataclasses import replace

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.reads import dotted_name
from mmcodemod.facts.syntax import walk
from mmcodemod.model.frozen import frozen
from mmcodemod.project.arguments import argument
from mmcodemod.project.flow import start_of
from mmcodemod.project.model import Project
from mmcodemod.project.signatures import bound_first
from mmcodemod.project.stubs import is_stub
from mmcodemod.project.values import Bound, FunctionRef

MAX_CALLS = 2  # from the method to the function that draws
_ORDERS = frozenset(("shuffle", "permutation", "permuted", "randperm"))
_DRAWS = frozenset(
    (
        *("sample", "choice", "choices", "random", "randint", "randrange", "rand", "randn"),
        *("uniform", "normal", "integers", "multinomial"),
    )
)
_LIBRARIES = ("random.", "numpy.random.", "torch.")
_SEEDS = frozenset(
    (
        *("seed", "manual_seed", "set_seed", "seed_everything"),
        *("Random", "RandomState", "default_rng", "SeedSequence"),
    )
)
_SEED_KEYWORDS = frozenset(("seed", "random_state", "generator"))
_FILLS = frozenset(("append", "extend", "add", "insert", "update"))


@frozen()
class Step:
    """A node that a run must come by."""

    function: str
    node: ast.AST


@frozen()
class Draw:
    """The calls and assignments by which something drawn gets to where it is held, the one that draws first.
    `fixed`: is it drawn with the same seed each time?"""

    steps: tuple[Step, ...]
    fixed: bool


@frozen()
class Asked:
    """A call of a function. `moved`: the names in it that have another value in each call; `depth`: how many
    calls lead there."""

    function: str
    receiver: str
    moved: frozenset[str] = frozenset()
    depth: int = 0


@frozen()
class Drawn:
    """What a call of a function leaves behind: by attribute of its object, and in what it returns."""

    held: dict[str, list[Draw]]
    returned: list[Draw]


def drawn(project: Project, asked: Asked) -> Drawn:
    """What a method holds, or returns, that it draws at random."""
    return project.once(_drawn, asked)


def _drawn(project: Project, asked: Asked) -> Drawn:
    reader = _Reader(project, asked)
    reader.follow()
    own = f"{reader.own}."
    held = {n.removeprefix(own): d for n, d in reader.held.items() if reader.own and n.startswith(own)}
    values = (n.value for n in reader.nodes if isinstance(n, ast.Return) and n.value)
    return Drawn(held, [draw for value in values for draw in reader.of(value)])


class _Reader:
    """The names and attributes of one function that hold what is drawn."""

    def __init__(self, project: Project, asked: Asked) -> None:
        facts = project.index.function(asked.function)
        self._project, self._asked = project, asked
        self.nodes = sorted(own_nodes(facts.node), key=_start)
        self.own = facts.parameters.first if bound_first(facts) else ""
        self.held: dict[str, list[Draw]] = {}
        self._moved = {*asked.moved, *(n for n in _stored(self.nodes) if n.startswith(f"{self.own}."))}
        self._seeds = [e for n in self.nodes if isinstance(n, ast.Call) for e in _seeds(n)]

    def follow(self) -> None:
        """To where nothing new is held: there are as many draws as calls."""
        for call in (n for n in self.nodes if isinstance(n, ast.Call)):
            self._take_over(call)
        moves = [move for node in self.nodes for move in self._moves(node) if move[0]]
        while any(self._hold(name, node, value) for name, node, value in moves):
            pass

    def _hold(self, name: str, node: ast.AST, value: ast.AST) -> bool:
        """Has a name got a draw that it did not hold?"""
        held = self.held.setdefault(name, [])
        known = {draw.steps[0] for draw in held}
        here = Step(self._asked.function, node)
        new = [draw for draw in self.of(value) if draw.steps[0] not in known]
        held += [replace(draw, steps=(*draw.steps, here)) for draw in new]
        return bool(new)

    def of(self, value: ast.AST) -> list[Draw]:
        """What an expression has that is drawn."""
        found = list[Draw]()
        for node in _within(value):
            if isinstance(node, (ast.Name, ast.Attribute)):
                found += self.held.get(dotted_name(node), [])
            elif isinstance(node, ast.Call):
                found += self._of_call(node)
        return found

    def _of_call(self, call: ast.Call) -> list[Draw]:
        called = self._called(call)
        if not called and _draws(self._project, self._asked.function, call):
            return [Draw((Step(self._asked.function, call),), self._fixed(call))]
        return [draw for inner in called for draw in drawn(self._project, inner).returned]

    def _moves(self, node: ast.AST) -> Iterator[tuple[str, ast.AST, ast.AST]]:
        """What a node puts anywhere: the name of the place, the node, and the value."""
        if isinstance(node, ast.Call):
            yield from self._moves_of_call(node)
        elif isinstance(node, ast.For):
            yield from ((name, node, node.iter) for name in _targets(node))
        elif isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.NamedExpr)) and node.value:
            yield from ((name, node, node.value) for name in _targets(node))

    def _moves_of_call(self, call: ast.Call) -> Iterator[tuple[str, ast.AST, ast.AST]]:
        """`rows.append(row)`, `random.shuffle(rows)`."""
        into = call.func.value if isinstance(call.func, ast.Attribute) and _word(call) in _FILLS else None
        yield from ((_place(into), call, arg) for arg in call.args if into is not None)
        if _word(call) == "shuffle" and call.args and self._in_place(call):
            yield _place(call.args[0]), call, call

    def _take_over(self, call: ast.Call) -> None:
        """What a method of the object that is called leaves in it."""
        method = call.func if isinstance(call.func, ast.Attribute) else None
        own = method is not None and self.own and dotted_name(method.value) == self.own
        left = [drawn(self._project, inner).held for inner in self._called(call)] if own else []
        for name, draws in (entry for held in left for entry in held.items()):
            here = Step(self._asked.function, call)
            self.held.setdefault(f"{self.own}.{name}", []).extend(
                replace(draw, steps=(*draw.steps, here)) for draw in draws
            )

    def _in_place(self, call: ast.Call) -> bool:
        """Is it the `shuffle` of a library that works in place? scikit-learn's gives a copy."""
        names = self._project.names(call.func, self._asked.function)
        return not self._called(call) and not any(name.startswith("sklearn.") for name in names)

    def _called(self, call: ast.Call) -> list[Asked]:
        """The functions of the tree that a call runs."""
        if self._asked.depth >= MAX_CALLS:
            return []
        values = self._project.values(call.func, self._asked.function)
        bound = [v for v in values if isinstance(v, (Bound, FunctionRef)) and not is_stub(v.function)]
        return [self._enter(call, v) for v in sorted(bound, key=lambda v: v.function)]

    def _enter(self, call: ast.Call, callee: Bound | FunctionRef) -> Asked:
        moved = given_moved(self._project, call, callee.function, self._moved)
        receiver = callee.receiver if isinstance(callee, Bound) else ""
        return Asked(callee.function, receiver, moved, self._asked.depth + 1)

    def _fixed(self, call: ast.Call) -> bool:
        """Is a seed given, and none that is another one each time?"""
        seeds = [*self._seeds, *(k.value for k in call.keywords if k.arg in _SEED_KEYWORDS)]
        return bool(seeds) and not any(names_in(seed) & self._moved for seed in seeds)


def given_moved(project: Project, call: ast.Call, function: str, moved: Set[str]) -> frozenset[str]:
    """The parameters of a function for which a call passes what is another value each time."""
    facts = project.index.function(function)
    passed = {name: argument(call, facts, name) for name in facts.parameters.names}
    return frozenset(name for name, expr in passed.items() if expr is not None and names_in(expr) & moved)


def names_in(expr: ast.AST) -> set[str]:
    """The names and dotted names that an expression reads."""
    return {dotted_name(n) for n in walk(expr) if isinstance(n, (ast.Name, ast.Attribute))}


def _draws(project: Project, function: str, call: ast.Call) -> bool:
    """Is it a library's way to draw at random, or to put in another order?"""
    word = _word(call)
    if word in _ORDERS or (word == "sample" and any(k.arg == "frac" for k in call.keywords)):
        return True
    return word in _DRAWS and any(n.startswith(_LIBRARIES) for n in project.names(call.func, function))


def _seeds(call: ast.Call) -> Iterable[ast.expr]:
    return (*call.args, *(k.value for k in call.keywords)) if _word(call) in _SEEDS else ()


def _stored(nodes: Iterable[ast.AST]) -> set[str]:
    """The names and attributes that statements change."""
    return {n for node in nodes if isinstance(node, (ast.Assign, ast.AugAssign)) for n in _targets(node)}


def _targets(node: ast.Assign | ast.AugAssign | ast.AnnAssign | ast.NamedExpr | ast.For) -> Iterator[str]:
    todo = list(node.targets) if isinstance(node, ast.Assign) else [node.target]
    while todo:
        target = todo.pop()
        todo += target.elts if isinstance(target, (ast.Tuple, ast.List)) else []
        yield _place(target)


def _place(target: ast.expr) -> str:
    """The dotted name of what is filled: `rows` for `rows[0]` and `*rows`, "" for what has none."""
    while isinstance(target, (ast.Subscript, ast.Starred)):
        target = target.value
    return dotted_name(target) if isinstance(target, (ast.Name, ast.Attribute)) else ""


def _within(value: ast.AST) -> Iterator[ast.AST]:
    """The parts of an expression, without what only counts them."""
    todo = [value]
    while todo:
        node = todo.pop()
        if not (isinstance(node, ast.Call) and _word(node) == "len"):
            yield node
            todo += ast.iter_child_nodes(node)


def _word(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _start(node: ast.AST) -> tuple[int, int]:
    return start_of(node) if hasattr(node, "lineno") else (0, 0)
