"""How values move inside one function: assignments, arguments and returns as reads, with the tests around."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import field, replace

from mmcodemod.facts.match_cases import case_tests
from mmcodemod.facts.overwritten import bound_name, overwritten
from mmcodemod.facts.reads import Form, Others, Reader, Reads
from mmcodemod.facts.syntax import FunctionNode, blocks, is_main_guard
from mmcodemod.model.frozen import frozen, mutable


@frozen(slots=True)
class Assign:
    """`target` ("x" or "self.x") gets a value made of `reads` under `tests`; `form` is its shape. `item`
    where it is one of what a call returns: its position, and how many there are. `parts` are the elements of
    a tuple that is returned, `arms` the two sides of a conditional expression. `empty`: it is None or False;
    `true`: it is True.
    Where `unless` is true, another value takes its place before anything but the names that it `feeds` is
    made of it; `by`: the assignment that makes the other of this one."""

    target: str
    reads: Reads
    form: Form
    tests: tuple[Form, ...]
    item: tuple[int, int] | None = None
    parts: tuple[Assign, ...] = ()
    arms: tuple[Assign, ...] = ()
    empty: bool = False
    true: bool = False
    unless: Form | None = None
    feeds: frozenset[str] = frozenset()
    by: Assign | None = None

    def part(self, item: tuple[int, int] | None) -> Assign:
        """The element that is unpacked, of what is returned; the whole where it shows no such elements."""
        return self.parts[item[0]] if item is not None and item[1] == len(self.parts) else self


@frozen(slots=True)
class Passed:
    """What one call is given: the dotted name called ("" when it has none), its receiver, its arguments."""

    name: str
    receiver: Reads
    args: tuple[Reads, ...]
    keywords: tuple[tuple[str, Reads], ...]

    @property
    def reads(self) -> Reads:
        """Everything that the call reads."""
        every = [self.receiver, *self.args, *(reads for _, reads in self.keywords)]
        return tuple(dict.fromkeys(atom for reads in every for atom in reads))


@mutable(eq=False, slots=True)
class Flows:
    """All movements of one function; `calls` by ordinal."""

    assigns: dict[str, list[Assign]] = field(default_factory=dict)
    returns: list[Assign] = field(default_factory=list)
    calls: list[Passed] = field(default_factory=list)


def flows_of(node: FunctionNode, calls: Sequence[ast.Call], others: Others) -> Flows:
    """The flows of a function or module; `calls` are its own calls in source order, `others` the names of
    their own for values that share a name."""
    flows = Flows()
    reader = Reader({id(call): n for n, call in enumerate(calls)}, others)
    flows.calls = [_passed(call, reader) for call in calls]
    body = own_body(node)
    walker = _Walker(flows, reader)
    walker.block(body, ())
    if not isinstance(node, ast.Module):  # its names are read by all functions
        walker.leave_out(body)
    return flows


def own_body(node: FunctionNode) -> list[ast.stmt]:
    """The statements of a function; of a module, without its main guard, which counts as one."""
    return [s for s in node.body if not (isinstance(node, ast.Module) and is_main_guard(s))]


def _passed(call: ast.Call, reader: Reader) -> Passed:
    receiver = reader.reads(call.func.value) if isinstance(call.func, ast.Attribute) else ()
    keywords = tuple((k.arg or "**", reader.reads(k.value)) for k in call.keywords)
    return Passed(reader.name(call.func), receiver, tuple(reader.reads(a) for a in call.args), keywords)


class _Walker:
    def __init__(self, flows: Flows, reader: Reader) -> None:
        self._flows = flows
        self._reader = reader
        self._plain: dict[int, Assign] = {}  # by the id of the statement

    def leave_out(self, body: list[ast.stmt]) -> None:
        """Tells which values others take the place of before anybody looks at them."""
        several = {name: found for name, found in self._flows.assigns.items() if len(found) > 1}
        for statement, end in overwritten(body, several).items() if several else ():
            assign = self._plain[statement]
            found = self._flows.assigns[assign.target]
            test: Form = self._reader.test(end.test) if end.test else ("and",)
            where = next(n for n, a in enumerate(found) if a is assign)
            by = self._plain[end.by] if end.by else None
            found[where] = replace(assign, unless=test, feeds=end.feeds, by=by)

    def block(self, body: list[ast.stmt], tests: tuple[Form, ...]) -> None:
        for node in body:
            self._statement(node, tests)

    def _statement(self, node: ast.stmt, tests: tuple[Form, ...]) -> None:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            return
        self._bindings(node, tests)
        if isinstance(node, ast.Match):
            self._match(node, tests)
            return
        inside = others = tests
        if isinstance(node, (ast.If, ast.While)):
            test = self._reader.test(node.test)
            inside, others = (*tests, test), (*tests, ("not", test))
        for block in blocks(node):
            self.block(block, others if block is getattr(node, "orelse", None) else inside)

    def _match(self, node: ast.Match, tests: tuple[Form, ...]) -> None:
        for case, test in case_tests(self._reader, node):
            self.block(case.body, tests if test is None else (*tests, test))
            tests = tests if test is None else (*tests, ("not", test))

    def _bindings(self, node: ast.stmt, tests: tuple[Form, ...]) -> None:
        if bound_name(node):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target  # type: ignore[attr-defined]
            name = self._reader.name(target)
            assign = self._plain[id(node)] = self._assign(name, node.value, tests)  # type: ignore[attr-defined]
            self._flows.assigns.setdefault(name, []).append(assign)
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(node.value, ast.Call) and _elements(target):
                    self._take(target, node.value, tests)  # type: ignore[arg-type]
                else:
                    self._bind(target, node.value, tests)
        elif isinstance(node, (ast.AnnAssign, ast.AugAssign)) and node.value is not None:
            self._bind(node.target, node.value, tests)
        elif isinstance(node, (ast.For, ast.AsyncFor)):
            self._bind(node.target, node.iter, tests)
        elif isinstance(node, (ast.With, ast.AsyncWith)):
            for item in node.items:
                if item.optional_vars is not None:
                    self._bind(item.optional_vars, item.context_expr, tests)
        elif isinstance(node, ast.Return) and node.value is not None:
            self._flows.returns.append(self._returned(node.value, tests))

    def _returned(self, value: ast.expr, tests: tuple[Form, ...]) -> Assign:
        whole = self._assign("", value, tests)
        parts = tuple(self._assign("", element, tests) for element in _elements(value))
        return replace(whole, parts=parts) if parts else whole

    def _bind(self, target: ast.expr, value: ast.expr, tests: tuple[Form, ...]) -> None:
        if isinstance(target, (ast.Tuple, ast.List)):
            self._unpack(target, value, tests)
        elif isinstance(target, (ast.Starred, ast.Subscript)):
            self._bind(target.value, value, tests)
        elif isinstance(target, (ast.Name, ast.Attribute)):
            name = self._reader.name(target)
            self._flows.assigns.setdefault(name, []).append(self._assign(name, value, tests))

    def _unpack(self, target: ast.Tuple | ast.List, value: ast.expr, tests: tuple[Form, ...]) -> None:
        same = isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(target.elts)
        parts = value.elts if same else [value] * len(target.elts)  # type: ignore[attr-defined]
        for element, part in zip(target.elts, parts):
            self._bind(element, part, tests)

    def _take(self, target: ast.Tuple | ast.List, call: ast.Call, tests: tuple[Form, ...]) -> None:
        """What a call returns is unpacked: each name gets one of the elements."""
        for position, element in enumerate(target.elts):
            if isinstance(element, (ast.Name, ast.Attribute)):
                name = self._reader.name(element)
                whole = self._assign(name, call, tests)
                taken = replace(whole, item=(position, len(target.elts))) if whole.reads else whole
                self._flows.assigns.setdefault(name, []).append(taken)
            else:
                self._bind(element, call, tests)

    def _assign(self, target: str, value: ast.expr, tests: tuple[Form, ...]) -> Assign:
        arms: tuple[Assign, ...] = ()
        if isinstance(value, ast.IfExp):
            test = self._reader.test(value.test)
            sides = (value.body, test), (value.orelse, ("not", test))
            arms = tuple(self._assign(target, side, (*tests, asked)) for side, asked in sides)
        constant = value.value if isinstance(value, ast.Constant) else ...
        return Assign(
            target,
            self._reader.reads(value),
            self._reader.form(value),
            tests,
            arms=arms,
            empty=constant in (None, False),
            true=constant is True,
        )


def _elements(node: ast.expr) -> list[ast.expr]:
    """The elements of a tuple or list that is written out; none where `*rest` stands among them."""
    found = node.elts if isinstance(node, (ast.Tuple, ast.List)) else []
    return [] if any(isinstance(element, ast.Starred) for element in found) else found
