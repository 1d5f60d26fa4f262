"""Sets literal values in Python configurations by span: a name of the module, and keywords and keys of calls
and dicts below it. See `spans` for the answers. What is no literal is refused: it may come from anywhere."""

from __future__ import annotations

import ast
import keyword
from collections.abc import Iterator, Sequence

from mmcodemod.facts.lines import LineMap
from mmcodemod.facts.node import NodeScalar
from mmcodemod.facts.spans import Edits, Span, applied, behind_last, edits, is_writable, same
from mmcodemod.facts.syntax import SCOPES, ParseError, parse, place_of, walk
from mmcodemod.source.lines import lines_of


def set_value(text: str, path: str, keys: Sequence[str], value: NodeScalar) -> Edits | None:
    """Write a literal at `keys` of the file `path`: the name, which the module sets once and never changes,
    then keywords of calls (`dict(...)`, `TrainingArguments(...)`) and keys of dicts. A missing last key is
    added."""
    source = _Source.of(text) if keys and is_writable(value) else None
    if source is None:
        return None
    node = _assigned(source.tree, keys[0])
    for key in keys[1:-1]:
        node = _held(node, key)
    answer = source.replaced(node, value) if len(keys) == 1 else source.with_key(node, keys[-1], value)
    return None if answer is None else edits(text, path, answer)


def set_keyword(text: str, path: str, call: ast.Call, name: str, value: NodeScalar) -> Edits | None:
    """Write a literal for a keyword of one call of the file `path`, which may stand anywhere in it."""
    source = _Source.of(text) if is_writable(value) else None
    if source is None:
        return None
    spot = _spot(call)
    found = next((n for n in walk(source.tree) if isinstance(n, ast.Call) and _spot(n) == spot), None)
    answer = source.with_key(found, name, value)
    return None if answer is None else edits(text, path, answer)


class _Source:
    """One text and its tree, which an edit changes as the text is to be changed: that is what is checked."""

    def __init__(self, text: str, tree: ast.Module) -> None:
        self.text, self.tree = text, tree
        self.lines, self.offset = lines_of(text), LineMap(text).offset

    @staticmethod
    def of(text: str) -> _Source | None:
        try:
            return _Source(text, parse(text))
        except ParseError:
            return None

    def span(self, node: ast.AST) -> tuple[int, int]:
        at = place_of("", node, self.lines)
        return self.offset((at.line, at.column)), self.offset((at.end_line, at.end_column))

    def replaced(self, node: ast.expr | None, value: NodeScalar) -> list[Span] | None:
        if node is None or not _is_literal(node):
            return None
        if same(ast.literal_eval(node), value):
            return []
        start, end = self.span(node)
        _put(self.tree, node, _constant(value))
        return self._checked([(start, end, _written(value, self.text[start:end]))])

    def with_key(self, holder: ast.expr | None, key: str, value: NodeScalar) -> list[Span] | None:
        if not isinstance(holder, ast.Call | ast.Dict):
            return None
        held = _held(holder, key)
        if held is not None:
            return self.replaced(held, value)
        return self._added(holder, key, value) if _takes(holder, key) else None

    def _added(self, holder: ast.Call | ast.Dict, key: str, value: NodeScalar) -> list[Span] | None:
        written, close = _written(value, self.text), self.span(holder)[1] - 1
        entry = (
            f"{key}={written}" if isinstance(holder, ast.Call) else f"{_written(key, self.text)}: {written}"
        )
        start, end = max((self._from_to(first, last) for first, last in _items(holder)), default=(0, 0))
        spans = behind_last(self.text, start, end, close, entry) if end else [(close, close, entry)]
        if isinstance(holder, ast.Call):
            holder.keywords.append(ast.keyword(key, _constant(value)))
        else:
            holder.keys.append(ast.Constant(key))
            holder.values.append(_constant(value))
        return self._checked(spans)

    def _from_to(self, first: ast.AST, last: ast.AST) -> tuple[int, int]:
        return self.span(first)[0], self.span(last)[1]

    def _checked(self, spans: list[Span]) -> list[Span] | None:
        """The spans, when they make of the text what was made of the tree."""
        try:
            after = parse(applied(self.text, spans))
            return spans if ast.dump(after) == ast.dump(self.tree) else None
        except (ParseError, RecursionError):
            return None


def _put(tree: ast.AST, node: ast.expr, new: ast.expr) -> None:
    """Puts `new` in the place of `node`."""
    for parent in walk(tree):
        for name, child in ast.iter_fields(parent):
            if child is node:
                setattr(parent, name, new)
            elif isinstance(child, list):
                child[:] = [new if item is node else item for item in child]


def _assigned(tree: ast.Module, name: str) -> ast.expr | None:
    """The value of the one statement of the module that sets the name, when nothing changes it."""
    found = [s for s in tree.body if _sets(s, name)]
    if len(found) != 1 or any(_changes(node, name) for node in _of_module(tree, found[0])):
        return None
    return getattr(found[0], "value", None)


def _sets(statement: ast.stmt, name: str) -> bool:
    match statement:
        case ast.Assign(targets=[ast.Name(id=target)]) | ast.AnnAssign(target=ast.Name(id=target)):
            return target == name
    return False


def _of_module(tree: ast.Module, setting: ast.stmt) -> Iterator[ast.AST]:
    """What the module itself runs besides `setting`, and the `global` statements of its functions."""
    yield from (n for n in walk(tree) if isinstance(n, ast.Global))
    stack: list[ast.AST] = [s for s in tree.body if s is not setting]
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, (*SCOPES, ast.Lambda)):
            stack.extend(ast.iter_child_nodes(node))


def _changes(node: ast.AST, name: str) -> bool:
    """May the node give the name another value, or change the object?"""
    match node:
        case ast.Name(id=bound, ctx=ast.Store() | ast.Del()):
            return bound == name
        case ast.Subscript(ctx=ast.Store() | ast.Del()) | ast.Attribute(ctx=ast.Store() | ast.Del()):
            return _base(node) == name
        case ast.Expr(value=ast.Call(func=ast.Attribute() as called)):
            return _base(called) == name
        case ast.alias(name=imported, asname=asname):
            return (asname or imported.partition(".")[0]) == name
        case ast.Global(names=names):
            return name in names
    return isinstance(node, SCOPES) and node.name == name


def _base(node: ast.expr) -> str:
    while isinstance(node, ast.Subscript | ast.Attribute | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def _held(holder: ast.expr | None, key: str) -> ast.expr | None:
    """The value of a keyword or a key; the last of equal keys counts."""
    if isinstance(holder, ast.Call):
        return next((k.value for k in holder.keywords if k.arg == key), None)
    if not isinstance(holder, ast.Dict):
        return None
    for name, value in zip(reversed(holder.keys), reversed(holder.values)):
        if name is None:
            return ast.Starred(value)  # `**more` may hold the key, and is refused
        if isinstance(name, ast.Constant) and name.value == key:
            return value
    return None


def _takes(holder: ast.Call | ast.Dict, key: str) -> bool:
    """Can a key be added that is certainly new?"""
    if isinstance(holder, ast.Dict):
        return all(isinstance(k, ast.Constant) for k in holder.keys)
    filled = any(k.arg is None for k in holder.keywords) or any(
        isinstance(a, ast.Starred) for a in holder.args
    )
    return key.isidentifier() and not keyword.iskeyword(key) and not filled


def _items(holder: ast.Call | ast.Dict) -> Iterator[tuple[ast.AST, ast.AST]]:
    """What stands between the brackets, as first and last node of each item."""
    if isinstance(holder, ast.Dict):
        yield from ((key or value, value) for key, value in zip(holder.keys, holder.values))
    else:
        yield from ((item, item) for item in (*holder.args, *holder.keywords))


def _is_literal(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = node.operand
        return isinstance(inner, ast.Constant) and type(inner.value) in (int, float)
    return isinstance(node, ast.Constant) and isinstance(node.value, str | int | float | bool | None)


def _written(value: NodeScalar, like: str = "") -> str:
    """The literal in ASCII, so that every encoding holds it; with double quotes where `like` has them."""
    single = ascii(value)
    double = like.count('"') > like.count("'")
    if isinstance(value, str) and double and '"' not in value and single[0] == "'" and "\\" not in single:
        return f'"{single[1:-1]}"'
    return single


def _constant(value: NodeScalar) -> ast.expr:
    return ast.parse(_written(value), mode="eval").body


def _spot(node: ast.expr) -> tuple[int, int, int | None, int | None]:
    return node.lineno, node.col_offset, node.end_lineno, node.end_col_offset
