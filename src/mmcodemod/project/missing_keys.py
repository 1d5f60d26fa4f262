"""Launches that die because the configuration which they load lacks a key that the program surely asks for:
`KeyError`. Must-analysis (see mapping_reads): of a file of the tree that the launch names, or the parser by
default, and of keys that nothing in the tree speaks of otherwise."""

from __future__ import annotations

import ast
import re
from posixpath import normpath

from mmcodemod.facts.node import Node
from mmcodemod.model.context import Context, Origin
from mmcodemod.model.pattern import regex
from mmcodemod.project.death import Death
from mmcodemod.project.flags import PASSED_ON
from mmcodemod.project.launch_words import Given, given
from mmcodemod.project.made_files import is_asked_for, may_be_replaced
from mmcodemod.project.mapping_reads import MappingRead, MappingReads
from mmcodemod.project.model import Project
from mmcodemod.project.settings import Settings
from mmcodemod.project.texts_of_files import text_of

_LOADS = regex(r"\b(\w+) = (?:yaml\.(?:safe_|full_)?load|json\.load)\(")
_ENDINGS = (".yaml", ".yml", ".json")
_TELLING = (".md", ".rst", ".txt", ".sh", "Makefile", "Dockerfile")  # where users are told what to write
_LOADERS = ("load", "safe_load", "full_load")


def lacking(project: Project, context: Context) -> Death | None:
    """How a launch dies whose configuration lacks a key; None when nothing shows that."""
    entry = context.entry
    launched = entry is not None and context.origin is Origin.LAUNCHED and not entry.library
    if entry is None or not launched or entry.symbol != "<module>" or context.launcher is None:
        return None
    words = given(context)
    if words is None or context.option(PASSED_ON).at is not None or entry.path not in project.index.files:
        return None
    text = text_of(project, entry.path)
    loads = [line for line in text.splitlines() if "load(" in line]
    names = _LOADS.findall("\n".join(loads))
    indexed = any(f'{name}["' in text or f"{name}['" in text for name in names)
    if not indexed or "chdir" in text:
        return None
    return _Run(project, context, words).dies()


class _Run:
    """One launch, with the configuration that it loads."""

    def __init__(self, project: Project, context: Context, words: Given) -> None:
        self._project, self._context, self._words = project, context, words
        self._settings = Settings(project, context)
        self._path, self._root = "", Node("null", None, (1, 1), (1, 1))

    def dies(self) -> Death | None:
        """At the first key that is not there."""
        assert self._context.entry is not None
        found = MappingReads(self._project, self._context.entry.path, self._loads)
        if not self._path:
            return None
        for read in found.reads:
            if self._lacks(read):
                return self._death(read) if not _is_spoken_of(self._project, read.keys[-1]) else None
        return None

    def _death(self, read: MappingRead) -> Death:
        at, key = self._project.place(read.function.partition("::")[0], read.node), ".".join(read.keys)
        fact = f"whether {self._path}, which the launch reads, has a `{key}`"
        why = f"in the tree it has none, and {at} asks for it"
        return Death(at, "KeyError", f"{self._path} has no `{key}`", f"{fact}: {why}", sure=False)

    def _lacks(self, read: MappingRead) -> bool:
        """Is the last key the first that is not there?"""
        node: Node | None = self._root
        for key in read.keys[:-1]:
            member = node.member(key) if node else None
            node = member.node if member else None
        return node is not None and node.kind == "object" and node.member(read.keys[-1]) is None

    def _loads(self, expr: ast.expr, function: str, files: dict[str, ast.expr]) -> bool:
        """Does an expression load a mapping of the tree?"""
        named = _file(expr, files)
        path = self._named(named, function) if named is not None else ""
        root = self._project.sources.root(path) if path else None
        if root is None or root.kind != "object" or _is_special(text_of(self._project, path)):
            return False
        self._path, self._root = path, root
        return True

    def _named(self, expr: ast.expr, function: str) -> str:
        """The file of the tree that an expression names in this launch; "" where that does not show."""
        values = {s.value for s in self._settings.of(expr, function)}
        value = next(iter(values)) if len(values) == 1 else None
        if not isinstance(value, str) or not value.endswith(_ENDINGS) or value.startswith(("/", "~", "..")):
            return ""
        path = normpath(f"{self._words.base}/{value}").lstrip("/")
        others = any(
            w.endswith(_ENDINGS) and normpath(w.rpartition("=")[2]) != normpath(value)
            for w in self._words.words
        )
        return path if path in self._project.tree.paths and not others and not self._is_own(path) else ""

    def _is_own(self, path: str) -> bool:
        """May the one who launches have another file there?"""
        assert self._context.launcher is not None
        return is_asked_for(self._project, self._context.launcher) or may_be_replaced(self._project, path)


def _file(expr: ast.expr, files: dict[str, ast.expr]) -> ast.expr | None:
    """The name of the file that `yaml.safe_load(open(NAME))` reads."""
    func = expr.func if isinstance(expr, ast.Call) else None
    if not isinstance(func, ast.Attribute) or func.attr not in _LOADERS or not expr.args:  # type: ignore[attr-defined]
        return None
    if not isinstance(func.value, ast.Name) or func.value.id not in ("yaml", "json"):
        return None
    given = expr.args[0]  # type: ignore[attr-defined]
    opened = files.get(given.id) if isinstance(given, ast.Name) else given
    opens = isinstance(opened, ast.Call) and isinstance(opened.func, ast.Name) and opened.func.id == "open"
    return opened.args[0] if opens and opened.args else None  # type: ignore[union-attr]


def _is_special(text: str) -> bool:
    """Has it tags, which may include other files, or several documents?"""
    return bool(re.search(r"(?m)(?:^|[\s:\[,-])![\w!<]|^---.*\n(?s:.*)^---", text))


def _is_spoken_of(project: Project, key: str) -> bool:
    """Is a key named otherwise than where it is read: where it may be set, tested, or asked of the user?"""
    return any(_says(project, path, key) for path in project.tree.paths if path.endswith((".py", *_TELLING)))


def _says(project: Project, path: str, key: str) -> bool:
    text = text_of(project, path)
    if key not in text:
        return False
    name = re.escape(key)
    if not path.endswith(".py"):
        return bool(re.search(rf"(?<!\w){name}(?!\w)", text))
    rest = re.sub(rf"\[\s*(['\"]){name}\1\s*\](?!\s*=[^=])", "", text)
    return bool(re.search(rf"['\"]{name}['\"]|\b(?:update|dict|setdefault)\([^)]*\b{name}\s*=", rest))
