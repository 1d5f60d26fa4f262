"""What a YAML or JSON file of the tree holds that code names by a text."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from mmcodemod.facts.node import Node
from mmcodemod.model.place import Place
from mmcodemod.project.config_values import Value
from mmcodemod.project.sources import Sources

_READ = (".yaml", ".yml", ".json")


def file_value(sources: Sources, code: str, named: str) -> Value | None:
    """The content of the file that `named` means in the file `code`: from the root of the tree, else from the
    folder of the code; None where both have one."""
    found = dict.fromkeys(path for path in _candidates(code, named) if path in sources.paths)
    if len(found) != 1 or not named.endswith(_READ):
        return None
    (path,) = found
    document = sources.document(path)
    broken = document is None or document.errors or document.root is None
    return None if broken or document is None or document.root is None else _value(document.root, path)


def _candidates(code: str, named: str) -> Iterator[str]:
    if not named.startswith(("/", "~")):
        yield posixpath.normpath(named)
        yield posixpath.normpath(posixpath.join(posixpath.dirname(code), named))


def _value(node: Node, path: str) -> Value:
    at = Place(path, node.start[0])
    if node.kind == "object":
        return Value({member.key: _value(member.node, path) for member in node.members}, at)
    if node.kind == "array":
        return Value(tuple(_value(item, path) for item in node.items), at)
    return Value(node.value, at)
