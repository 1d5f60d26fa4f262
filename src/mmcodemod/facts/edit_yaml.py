"""Sets and removes values of YAML by span: of the first document, as PyYAML's SafeLoader reads it. See
`spans` for the answers. What an alias repeats is refused: an edit would change other places, too."""

from __future__ import annotations

from collections.abc import Sequence

from mmcodemod.facts import yamlspan, yamltree
from mmcodemod.facts.node import NodeScalar
from mmcodemod.facts.spans import (
    LINE_END,
    Edits,
    Span,
    Values,
    applied,
    behind_last,
    edits,
    is_writable,
    line_start,
    new_line,
    same,
    scalar_at,
    values,
    with_value,
    without_key,
)
from mmcodemod.facts.yamltext import is_string, written
from mmcodemod.facts.yamltree import Written, content_end
from mmcodemod.model.pattern import regex

_REST = regex(r"[ \t]*(?:(?<=\s)#[^\r\n]*)?(?=[\r\n]|\Z)")  # what may stand behind the end of a block
_ANCHOR = regex(r"&[^\s,\[\]{}]+\s+")
STEP = "  "  # the indentation of a mapping that is added inside a block


def set_value(text: str, path: str, keys: Sequence[str], value: NodeScalar) -> Edits | None:
    """Write a scalar at `keys` of the file `path`; what is missing is added. Of equal keys the last is
    meant, which is the one that counts. Refused besides aliases: tags, `|` and `>` texts, and a mapping or a
    list that is to become a scalar, or the reverse."""
    root = yamlspan.parse(text).root
    if root is None or not keys or not is_writable(value):
        return None
    now = scalar_at(root, keys)
    if now is not None and same(now.value, value):
        return ()
    tree = yamltree.parse(text)
    spans = _setting(text, tree, keys, value) if tree else None
    return _checked(text, path, spans, with_value(root, keys, value))


def remove(text: str, path: str, keys: Sequence[str]) -> Edits | None:
    """Take a key out of a mapping of the file `path`; a comment behind it goes with it. Refused for a key
    that is there twice or is merged in as well: the other one would begin to count."""
    root = yamlspan.parse(text).root
    tree = yamltree.parse(text) if root else None
    if root is None or tree is None or not keys:
        return None
    if without_key(root, keys) == values(root):
        return ()
    holder = _holder(tree, keys[:-1])
    times = [i for i, (key, _) in enumerate(holder.pairs) if key.text == keys[-1]] if holder else []
    sure = holder and len(times) == 1 and _is_text(holder.pairs[times[0]][0])
    spans = _removal(text, holder, times[0]) if holder and sure else None
    return _checked(text, path, spans, without_key(root, keys))


def _holder(tree: Written, keys: Sequence[str]) -> Written | None:
    """The mapping at a path of keys, none where an alias or a tag is on the way."""
    shared = _shared(tree)
    node = tree
    for key in keys:
        pair = node.last(key) if _is_own(node, shared) else None
        if pair is None or not _is_text(pair[0]):
            return None
        node = pair[1]
    return node if node.kind == "mapping" and _is_own(node, shared) else None


def _shared(tree: Written) -> set[str]:
    return {node.anchor for node in tree.nodes() if node.kind == "alias"}


def _is_own(node: Written, shared: set[str]) -> bool:
    return node.kind != "alias" and not node.tagged and node.anchor not in shared


def _is_text(key: Written) -> bool:
    """`on: 1` has the key `True`, which is not the one that is meant."""
    return bool(key.style) or is_string(key.text)


def _setting(text: str, tree: Written, keys: Sequence[str], value: NodeScalar) -> list[Span] | None:
    """Descends as far as there are mappings, then replaces or adds."""
    for depth, key in enumerate(keys):
        holder = _holder(tree, keys[:depth])
        if holder is None:
            return None
        pair = holder.last(key)
        if pair is None:
            return _addition(text, holder, keys[depth:], value)
    target = pair[1] if pair and _is_text(pair[0]) else None
    if target is None or target.kind != "scalar" or target.style in ("|", ">"):
        return None
    return _replacement(text, target, value) if _is_own(target, _shared(tree)) else None


def _replacement(text: str, target: Written, value: NodeScalar) -> list[Span]:
    anchor = _ANCHOR.match(text, target.start, target.end) if target.anchor else None
    start = anchor.end() if anchor else target.start
    space = " " if start == target.end else ""  # `key:` without a value
    return [(start, target.end, space + written(value, target.style))]


def _addition(text: str, holder: Written, keys: Sequence[str], value: NodeScalar) -> list[Span] | None:
    if holder.flow:
        return _into_braces(text, holder, keys, value)
    last_key, last = holder.pairs[-1]
    end = content_end(text, last)
    rest = _REST.match(text, end)
    first = holder.children[0].start
    indent = " " * (first - line_start(text, first))
    lines = [f"{STEP * i}{written(key, _quote(last_key))}:" for i, key in enumerate(keys)]
    entry = "".join(new_line(text) + indent + line for line in lines) + f" {written(value)}"
    return [(rest.end(), rest.end(), entry)] if rest else None


def _into_braces(text: str, holder: Written, keys: Sequence[str], value: NodeScalar) -> list[Span] | None:
    close = holder.end - 1
    if text[close] != "}":
        return None  # `[key: value]`
    if not holder.children:
        return [(close, close, _inline(keys, value, ""))]
    last_key, last = holder.pairs[-1]
    entry = _inline(keys, value, _quote(last_key))
    return behind_last(text, last_key.start, last.end, close, entry)


def _inline(keys: Sequence[str], value: NodeScalar, quote: str) -> str:
    return (
        ": {".join(written(key, quote) for key in keys) + f": {written(value, quote)}" + "}" * (len(keys) - 1)
    )


def _quote(key: Written) -> str:
    """JSON within YAML stays JSON."""
    return '"' if key.style == '"' else ""


def _removal(text: str, holder: Written, index: int) -> list[Span] | None:
    key, value = holder.pairs[index]
    if holder.flow:
        return _out_of_braces(text, holder, index)
    end = content_end(text, value)
    if len(holder.pairs) == 1:
        return [(key.start, end, "{}")]
    start, rest = line_start(text, key.start), _REST.match(text, end)
    if rest and not text[start : key.start].strip():
        line_end = LINE_END.match(text, rest.end())
        return [(start, line_end.end() if line_end else rest.end(), "")]
    following = holder.pairs[index + 1][0].start if index + 1 < len(holder.pairs) else end  # `- a: 1`
    return _unless_comment(text, end, following, key.start, following)


def _out_of_braces(text: str, holder: Written, index: int) -> list[Span] | None:
    """With the comma behind it, or else the one in front of it."""
    key, value = holder.pairs[index]
    if index + 1 < len(holder.pairs):
        following = holder.pairs[index + 1][0].start
        return _unless_comment(text, value.end, following, key.start, following)
    if index:
        before = holder.pairs[index - 1][1].end
        return _unless_comment(text, before, key.start, before, value.end)
    close = holder.end - 1
    return _unless_comment(text, value.end, close, key.start, close) if text[close] == "}" else None


def _unless_comment(text: str, gap: int, gap_end: int, start: int, end: int) -> list[Span] | None:
    """Take out what is between `start` and `end`, unless a comment of others is in the gap."""
    return None if "#" in text[gap:gap_end] else [(start, end, "")]


def _checked(text: str, path: str, spans: list[Span] | None, wanted: Values) -> Edits | None:
    after = yamlspan.parse(applied(text, spans)).root if spans else None
    return edits(text, path, spans or ()) if after is not None and values(after) == wanted else None
