"""YAML with spans, scalars read as PyYAML's SafeLoader reads them (`1e-4` is a string, `on` is true). Only
the first document. Never raises. Built from events, so nesting and aliases stay bounded."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from typing import Any

from mmcodemod.facts.lines import LineMap
from mmcodemod.facts.node import Json, Member, Node, NodeScalar
from mmcodemod.model.frozen import mutable

MAX_SIZE = 1_000_000
MAX_DEPTH = 100
MAX_ALIASED = 20_000
_RESOLVED_LENGTH = 100  # a longer plain scalar is a string

_KINDS = {bool: "bool", int: "number", float: "number", type(None): "null"}


class _Refused(Exception):
    def __init__(self, offset: int, message: str) -> None:
        super().__init__(message)
        self.offset, self.message = offset, message


@mutable()
class _Open:
    """A collection whose end has not been read yet. In a mapping `children` alternates key and value."""

    kind: str
    start: int
    anchor: str | None
    children: list[Node] = field(default_factory=list)


def parse(text: str) -> Json:
    """Read the first document."""
    if len(text) > MAX_SIZE:
        return Json(None, errors=((1, 1, f"larger than {MAX_SIZE} characters"),))
    import yaml  # slow to import

    lines = LineMap(text)
    try:
        return Json(_Composer(lines).compose(events(text)))
    except _Refused as refused:
        return Json(None, errors=((*lines.position(refused.offset), refused.message),))
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        return Json(None, errors=((*_position_of(error), _message_of(error)),))


def events(text: str) -> Iterator[Any]:
    """The events of PyYAML's parser, of its C one where there is one."""
    import yaml

    return iter(yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)))


def _position_of(error: Exception) -> tuple[int, int]:
    mark = getattr(error, "problem_mark", None)
    return (mark.line + 1, mark.column + 1) if mark else (1, 1)


def _message_of(error: Exception) -> str:
    return str(getattr(error, "problem", None) or error).splitlines()[0][:200] or "not valid YAML"


class _Composer:
    def __init__(self, lines: LineMap) -> None:
        self.lines = lines
        self.scalars = _Scalars()
        self.anchors: dict[str, Node] = {}
        self.sizes: dict[int, int] = {}  # id of an anchored or aliased node -> nodes below it
        self.aliased = 0

    def compose(self, events: Iterator[Any]) -> Node | None:
        stack: list[_Open] = []
        for event in events:
            node = self._step(event, stack)
            if node is None:
                continue
            if not stack:
                return node
            stack[-1].children.append(node)
        return None

    def _step(self, event: Any, stack: list[_Open]) -> Node | None:
        """The node that is complete after this event, if any."""
        match type(event).__name__:
            case "MappingStartEvent" | "SequenceStartEvent":
                self._open(event, stack)
                return None
            case "MappingEndEvent" | "SequenceEndEvent":
                return self._close(stack.pop(), event.end_mark.index)
            case "ScalarEvent":
                return self._remember(event.anchor, self._scalar(event))
            case "AliasEvent":
                return self._alias(event)
        return None

    def _open(self, event: Any, stack: list[_Open]) -> None:
        if len(stack) >= MAX_DEPTH:
            raise _Refused(event.start_mark.index, f"nested deeper than {MAX_DEPTH}")
        kind = "object" if type(event).__name__ == "MappingStartEvent" else "array"
        stack.append(_Open(kind, event.start_mark.index, event.anchor))

    def _close(self, opened: _Open, end: int) -> Node:
        start, stop = self.lines.position(opened.start), self.lines.position(end)
        if opened.kind == "array":
            node = Node("array", None, start, stop, items=tuple(opened.children))
        else:
            node = Node("object", None, start, stop, members=_members(opened.children))
        self.sizes[id(node)] = 1 + sum(self.sizes.get(id(child), 1) for child in opened.children)
        return self._remember(opened.anchor, node)

    def _scalar(self, event: Any) -> Node:
        value = self.scalars.read(event)
        start, end = event.start_mark.index, event.end_mark.index
        kind = _KINDS.get(type(value), "string")
        return Node(kind, value, self.lines.position(start), self.lines.position(end), event.value)

    def _remember(self, anchor: str | None, node: Node) -> Node:
        if anchor is not None:
            self.anchors[anchor] = node
        return node

    def _alias(self, event: Any) -> Node:
        node = self.anchors.get(event.anchor)
        if node is None:
            raise _Refused(
                event.start_mark.index, f"alias of an unknown or unfinished anchor {event.anchor!r}"
            )
        self.aliased += self.sizes.get(id(node), 1)
        if self.aliased > MAX_ALIASED:
            raise _Refused(event.start_mark.index, f"aliases repeat more than {MAX_ALIASED} values")
        return node


def _members(children: list[Node]) -> tuple[Member, ...]:
    """Own members, and those that `<<: *alias` merges in and no own member replaces."""
    own = [Member(_key(k), k.start, k.end, v) for k, v in zip(children[::2], children[1::2], strict=False)]
    names = {m.key for m in own}
    merged = [n for m in own if m.key == "<<" for n in (m.node.items or (m.node,))]
    inherited = [m for n in merged for m in n.members if m.key not in names]
    return tuple([m for m in own if m.key != "<<"] + inherited)


def _key(node: Node) -> str:
    return node.raw if node.kind not in ("object", "array") else f"<{node.kind}>"


class _Scalars:
    """PyYAML's own resolver and constructor, applied to one scalar at a time."""

    def __init__(self) -> None:
        import yaml

        self._node = yaml.ScalarNode
        self._resolver: Any = yaml.resolver.Resolver()
        self._constructor = yaml.constructor.SafeConstructor()

    def read(self, event: Any) -> NodeScalar:
        if event.tag is not None or len(event.value) > _RESOLVED_LENGTH:
            return str(event.value)
        tag = self._resolver.resolve(self._node, event.value, event.implicit)
        return self._construct(tag.rpartition(":")[2], event.value, self._node(tag, event.value))

    def _construct(self, kind: str, text: str, node: Any) -> NodeScalar:
        match kind:
            case "bool":
                return bool(self._constructor.construct_yaml_bool(node))
            case "int":
                return int(self._constructor.construct_yaml_int(node))
            case "float":
                return float(self._constructor.construct_yaml_float(node))
            case "null":
                return None
        return text
