"""`ast` expressions -> records of terms (`terms.py`), in one walk that also meets everything inside them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Any

from mmcodemod.facts.definitions import last_name
from mmcodemod.facts.terms import (
    ATTRIBUTE,
    CALL,
    COMPREHENSION,
    CONSTANT,
    DECORATION,
    DEFINITION,
    DICT,
    DICT_COMPREHENSION,
    EITHER,
    LAMBDA,
    LIST,
    NAME,
    SAME,
    SET,
    SLICE,
    STARRED,
    SUBSCRIPT,
    SUM,
    TUPLE,
    Record,
)
from mmcodemod.facts.tests import Guards, guards

MAX_DEPTH = 100  # expressions nested deeper are cut: what is below counts as not known


class Lowering:
    """`lambdas`: the qualified names of lambdas, by the id of their node."""

    def __init__(self, lambdas: Mapping[int, str]) -> None:
        self.tests = self.loops = False  # was there an `if`, a loop
        self._lambdas = lambdas
        self._depth = 0
        self._cut: list[ast.expr] = []  # too deep to be part of anything, but there are calls inside

    def expr(self, node: ast.expr) -> Record | None:
        """The record of an expression, None for what is not followed; all that is in it was met."""
        kind = node.__class__
        if kind is ast.Name:
            return (NAME, node.id, node.lineno, node.col_offset)  # type: ignore[attr-defined]
        if kind is ast.Constant:
            return (CONSTANT, node.value, node.lineno, node.col_offset)  # type: ignore[attr-defined]
        if self._depth > MAX_DEPTH:
            self._cut.append(node)
            return None
        self._depth += 1
        found = _EXPRESSIONS[kind](self, node)
        self._depth -= 1
        return found

    def finish(self) -> None:
        """Look into what was cut."""
        while self._cut:
            self.expr(self._cut.pop(0))

    def annotation(self, node: ast.expr | None) -> Record | None:
        """The record of an annotation: strings are read as the expressions that they quote."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            node = _quoted(node.value)
        if node is None or self._depth > MAX_DEPTH:
            return None
        if isinstance(node, ast.BinOp):
            self._depth += 1
            both = (self.annotation(node.left), self.annotation(node.right))
            self._depth -= 1
            return (EITHER, both, node.lineno, node.col_offset)
        if isinstance(node, ast.Subscript):
            inner = self.annotation(node.slice)
            return (SUBSCRIPT, self.expr(node.value), inner, node.lineno, node.col_offset)
        return self.expr(node)

    def decoration(self, node: Any, qualname: str, skipped: frozenset[str]) -> Record | None:
        """The decorators of a definition, but for those `skipped`, as nested calls; None if there is none."""
        made: Record = (DEFINITION, qualname, isinstance(node, ast.ClassDef))
        for decorator in reversed(node.decorator_list):
            lowered = self.expr(decorator)
            if last_name(decorator) not in skipped:
                place = decorator.lineno, decorator.col_offset, decorator.end_lineno, decorator.end_col_offset
                made = (DECORATION, lowered, made, qualname, *place)
        return made if made[0] == DECORATION else None

    # -- what readers of bodies note --------------------------------------------------------------------

    def called(self, node: ast.Call, record: Record) -> None:
        """A call was read."""

    def loaded(self, record: Record) -> None:
        """The value of an attribute was read."""

    def held(self, said: Guards, node: ast.expr) -> Record | None:
        """Read an expression that runs where tests say something."""
        return self.expr(node)

    def named(self, node: ast.NamedExpr) -> Record | None:
        """Read `name := value`; return what `value` is."""
        return self.expr(node.value)

    def looped(self, node: ast.comprehension) -> None:
        """Read `for target in iter` of a comprehension."""
        self.expr(node.iter)

    def yielded(self, node: ast.Yield | ast.YieldFrom) -> None:
        """Read `yield value`."""
        if node.value is not None:
            self.expr(node.value)

    def implied(self, name: str, base: Record | None, *args: Record | None) -> None:
        """The language calls `base.name(*args)`."""

    # -- one kind each ------------------------------------------------------------------------------------

    def _attribute(self, node: ast.Attribute) -> Record:
        stored = node.ctx.__class__ is not ast.Load
        found = (ATTRIBUTE, self.expr(node.value), node.attr, stored, node.lineno, node.col_offset)
        if not stored:
            self.loaded(found)
        return found

    def _call(self, node: ast.Call) -> Record:
        func = self.expr(node.func)
        args = tuple([self.expr(a) for a in node.args])
        keywords = tuple([(k.arg, self.expr(k.value)) for k in node.keywords])
        place = node.lineno, node.col_offset, node.end_lineno, node.end_col_offset
        found = (CALL, func, args, keywords, *place)
        self.called(node, found)
        return found

    def _subscript(self, node: ast.Subscript) -> Record:
        base, key = self.expr(node.value), self.expr(node.slice)
        self.implied(_SUBSCRIPTS[node.ctx.__class__], base, key)
        return (SUBSCRIPT, base, key, node.lineno, node.col_offset)

    def _slice(self, node: ast.Slice) -> Record:
        return (SLICE, self._bound(node.lower), self._bound(node.upper), self._bound(node.step))

    def _bound(self, node: ast.expr | None) -> Record | None:
        """What is there and not followed is no number: not the same as what is left out."""
        return None if node is None else self.expr(node) or (CONSTANT, None, node.lineno, node.col_offset)

    def _starred(self, node: ast.Starred) -> Record:
        return (STARRED, self.expr(node.value), node.lineno, node.col_offset)

    def _await(self, node: ast.Await) -> Record:
        return (SAME, self.expr(node.value), node.lineno, node.col_offset)

    def _walrus(self, node: ast.NamedExpr) -> Record:
        return (SAME, self.named(node), node.lineno, node.col_offset)

    def _if(self, node: ast.IfExp) -> Record:
        self.tests = True
        self.expr(node.test)
        true, false = guards(node.test)
        both = (self.held(true, node.body), self.held(false, node.orelse))
        return (EITHER, both, node.lineno, node.col_offset)

    def _bool(self, node: ast.BoolOp) -> Record:
        """Each operand is read where those before it were true, or for `or` false."""
        found: list[Record | None] = []
        said: Guards = ()
        side = isinstance(node.op, ast.Or)
        for value in node.values:
            found.append(self.held(said, value) if said else self.expr(value))
            said = (*said, *guards(value)[side])
        return (EITHER, tuple(found), node.lineno, node.col_offset)

    def _elements(self, node: ast.List | ast.Tuple | ast.Set) -> Record:
        kind = _DISPLAYS[node.__class__]
        return (kind, tuple([self.expr(e) for e in node.elts]), node.lineno, node.col_offset)

    def _dict(self, node: ast.Dict) -> Record:
        keys = tuple([None if k is None else self.expr(k) or _UNKNOWN for k in node.keys])
        values = tuple([self.expr(v) for v in node.values])
        return (DICT, keys, values, node.lineno, node.col_offset)

    def _comprehension(self, node: ast.ListComp | ast.GeneratorExp | ast.SetComp) -> Record:
        self._generators(node.generators)
        return (COMPREHENSION, self.expr(node.elt), node.lineno, node.col_offset)

    def _dict_comprehension(self, node: ast.DictComp) -> Record:
        self._generators(node.generators)
        self.expr(node.key)
        return (DICT_COMPREHENSION, self.expr(node.value), node.lineno, node.col_offset)

    def _generators(self, generators: list[ast.comprehension]) -> None:
        self.loops = True
        for generator in generators:
            self.looped(generator)
            for test in generator.ifs:
                self.expr(test)

    def _lambda(self, node: ast.Lambda) -> Record | None:
        for default in (*node.args.defaults, *node.args.kw_defaults):
            if default is not None:
                self.expr(default)
        qualname = self._lambdas.get(id(node))
        return (LAMBDA, qualname, node.lineno, node.col_offset) if qualname else None

    def _yield(self, node: ast.Yield | ast.YieldFrom) -> None:
        self.yielded(node)

    def _operation(self, node: ast.BinOp) -> Record | None:
        """Chains of operators lean to the left, and may be very long."""
        chain: list[ast.BinOp] = []
        left: ast.expr = node
        while isinstance(left, ast.BinOp):
            chain.append(left)
            left = left.left
        base = self.expr(left)
        parts = [base]
        for operation in reversed(chain):
            right, name = self.expr(operation.right), BINARY[operation.op.__class__]
            self.implied(f"__{name}__", base, right)
            self.implied(f"__r{name}__", right, base)
            base = None
            parts.append(right)
        added = all(operation.op.__class__ is ast.Add for operation in chain)
        listed = added and all(part is not None and part[0] in _MAY_BE_LISTS for part in parts)
        return (SUM, tuple(parts), node.lineno, node.col_offset) if listed else None

    def _unary(self, node: ast.UnaryOp) -> None:
        operand, name = self.expr(node.operand), _UNARY.get(node.op.__class__)
        if name is not None:
            self.implied(name, operand)

    def _compare(self, node: ast.Compare) -> None:
        left = self.expr(node.left)
        for operator, other in zip(node.ops, node.comparators):
            right, name = self.expr(other), _COMPARED.get(operator.__class__)
            if name == "__contains__":
                self.implied(name, right, left)
            elif name is not None:
                self.implied(name, left, right)
            left = right

    def _formatted(self, node: ast.FormattedValue) -> None:
        self.implied("__repr__" if node.conversion == ord("r") else "__str__", self.expr(node.value))
        if node.format_spec is not None:
            self.expr(node.format_spec)

    def _joined(self, node: ast.JoinedStr) -> None:
        for part in node.values:
            if part.__class__ is not ast.Constant:
                self.expr(part)

    def _parts(self, node: ast.AST) -> None:
        """What is followed inside an expression that is not."""
        for part in ast.iter_child_nodes(node):
            if isinstance(part, ast.expr):
                self.expr(part)


_MAY_BE_LISTS = frozenset((NAME, ATTRIBUTE, CALL, SUBSCRIPT, LIST, TUPLE, COMPREHENSION))
_UNKNOWN = (CONSTANT, None, 0, 0)
_DISPLAYS = {ast.List: LIST, ast.Tuple: TUPLE, ast.Set: SET}
_SUBSCRIPTS = {ast.Load: "__getitem__", ast.Store: "__setitem__", ast.Del: "__delitem__"}
BINARY: dict[type, str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.FloorDiv: "floordiv",
    ast.Mod: "mod", ast.Pow: "pow", ast.MatMult: "matmul", ast.LShift: "lshift", ast.RShift: "rshift",
    ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor",
}  # fmt: skip
_UNARY: dict[type, str] = {ast.USub: "__neg__", ast.UAdd: "__pos__", ast.Invert: "__invert__"}
_COMPARED: dict[type, str] = {
    ast.Eq: "__eq__", ast.NotEq: "__ne__", ast.Lt: "__lt__", ast.LtE: "__le__", ast.Gt: "__gt__",
    ast.GtE: "__ge__", ast.In: "__contains__", ast.NotIn: "__contains__",
}  # fmt: skip


def _quoted(text: str) -> ast.expr | None:
    try:
        return ast.parse(text[:200], mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


_EXPRESSIONS: dict[type, Callable[[Any, Any], Record | None]] = {
    ast.Attribute: Lowering._attribute,
    ast.Call: Lowering._call,
    ast.Subscript: Lowering._subscript,
    ast.Slice: Lowering._slice,
    ast.Starred: Lowering._starred,
    ast.Await: Lowering._await,
    ast.NamedExpr: Lowering._walrus,
    ast.IfExp: Lowering._if,
    ast.BoolOp: Lowering._bool,
    ast.Tuple: Lowering._elements,
    ast.List: Lowering._elements,
    ast.Set: Lowering._elements,
    ast.Dict: Lowering._dict,
    ast.ListComp: Lowering._comprehension,
    ast.GeneratorExp: Lowering._comprehension,
    ast.SetComp: Lowering._comprehension,
    ast.DictComp: Lowering._dict_comprehension,
    ast.Lambda: Lowering._lambda,
    ast.Yield: Lowering._yield,
    ast.YieldFrom: Lowering._yield,
    ast.BinOp: Lowering._operation,
    ast.UnaryOp: Lowering._unary,
    ast.Compare: Lowering._compare,
    ast.JoinedStr: Lowering._joined,
    ast.FormattedValue: Lowering._formatted,
}
for _kind in ("TemplateStr", "Interpolation"):  # Python 3.14
    if hasattr(ast, _kind):
        _EXPRESSIONS[getattr(ast, _kind)] = Lowering._parts
