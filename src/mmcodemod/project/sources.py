"""Configuration files of one tree, each read and parsed at most once."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, TypeVar

from mmcodemod.facts import jsonspan, yamlspan
from mmcodemod.facts.node import Json, Node
from mmcodemod.model.finding import Problem
from mmcodemod.source.tree import Tree, UnreadableFile, decode

T = TypeVar("T")

MAX_CONFIG_BYTES = 2_000_000


class Sources:
    """Memoised reading; what cannot be read becomes one problem and None."""

    def __init__(self, tree: Tree, problems: list[Problem] | None = None) -> None:
        self.tree = tree
        self.problems = problems if problems is not None else []
        self.paths = frozenset(tree.paths)
        self._texts: dict[str, str | None] = {}
        self._documents: dict[str, Json | None] = {}
        self._reported: set[tuple[str, str]] = set()
        self._once: dict[object, Any] = {}

    def once(self, key: object, read: Callable[[], T]) -> T:
        """What `read` makes of files of the tree, worked out at most once for a key."""
        if key not in self._once:
            self._once[key] = read()
        found: T = self._once[key]
        return found

    def report(self, problem: Problem, about: str) -> None:
        """Add a problem, once for each thing that it is about."""
        if (problem.kind, about) not in self._reported:
            self._reported.add((problem.kind, about))
            if problem not in self.problems:
                self.problems.append(problem)

    def data(self, path: str) -> bytes:
        """The bytes of a file; empty when it cannot be read."""
        try:
            return self.tree.read_bytes(path)
        except UnreadableFile as error:
            self.report(Problem(path, error.kind, error.message), path)
            return b""

    def text(self, path: str) -> str | None:
        """The text of a file that is not too large for a configuration or a script."""
        if path not in self._texts:
            self._texts[path] = self._read(path)
        return self._texts[path]

    def _read(self, path: str) -> str | None:
        data = self.data(path)
        if len(data) > MAX_CONFIG_BYTES:
            message = f"larger than {MAX_CONFIG_BYTES} bytes, not read as a configuration"
            self.report(Problem(path, "too-large", message), path)
            return None
        try:
            return decode(path, data)
        except UnreadableFile as error:
            self.report(Problem(path, error.kind, error.message), path)
            return None

    def python(self, path: str) -> ast.Module | None:
        """The syntax tree of a small Python file that the launch depends on, None when it cannot be parsed
        (the index tells why)."""
        return self.once(("python", path), lambda: _parsed(self.text(path) or ""))

    def document(self, path: str) -> Json | None:
        """A parsed JSON or YAML file, also when it has errors; None when there is no text."""
        if path not in self._documents:
            text = self.text(path)
            reader = yamlspan.parse if path.endswith((".yaml", ".yml")) else jsonspan.parse
            self._documents[path] = None if text is None else reader(text)
        return self._documents[path]

    def root(self, path: str) -> Node | None:
        """The object at the root of a JSON or YAML file; a syntax error is reported."""
        document = self.document(path)
        for line, _, message in document.errors if document else ():
            self.report(Problem(path, "config", message, line), path)
        root = document.root if document else None
        return root if root and root.kind == "object" else None


def _parsed(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
