"""The configuration that `@hydra.main(...)` of a program names. Must-analysis: only the one such function of
the file that the launch starts, where the folder is written out.

Source: hydra 1.3, `hydra._internal.utils.compute_search_path_dir`: a relative `config_path` begins in the
folder of the file; `FileConfigSource.load_config` adds ".yaml" to a name that has no ending.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from posixpath import dirname, join, normpath

from mmcodemod.facts.outline import MAIN
from mmcodemod.facts.syntax import unparse, walk
from mmcodemod.model.context import Entry
from mmcodemod.model.frozen import frozen
from mmcodemod.model.pattern import regex
from mmcodemod.project.model import Project

_ROOT = "/tree"  # stands for the root of the tree in a path that begins with `__file__`
_SAME = ("abspath", "realpath", "normpath", "str", "Path", "PurePath", "resolve", "absolute", "as_posix")
_CHANGES = regex(
    r"argv\s*(?:\[[^\]\n]*\]\s*)?\+?=(?!=)|argv\.(?!index|count)\w+\(|[^=!<>]=\s*(?:sys\.)?argv\s*(?:$|[,;#)])",
    re.MULTILINE,
)
_PLACES = ("config_path", "config_name")


@frozen()
class HydraMain:
    """`folder` of the tree; `name` is "" where the decorator has none; `line` of the decorator."""

    folder: str
    name: str
    line: int


def hydra_main(project: Project, entry: Entry) -> HydraMain | None:
    """What the decorator of the function that a launch runs says; None where that does not show."""
    facts = project.index.files.get(entry.path)
    text = project.index.text(entry.path) if facts is not None else ""
    if facts is None or "hydra" not in text or changes_words(text):
        return None
    found = [(f, d) for f in _functions(facts.tree) for d in f.decorator_list if _is_hydra(d, text)]
    if len(found) != 1 or not _runs(facts.tree, entry, found[0][0].name):
        return None
    decorator = found[0][1]
    assert isinstance(decorator, ast.Call)
    given = {**dict(zip(_PLACES, decorator.args)), **{k.arg: k.value for k in decorator.keywords if k.arg}}
    folder = _folder(given.get("config_path"), entry.path, facts.tree)
    name = given.get("config_name", ast.Constant(""))
    if folder is None or not isinstance(name, ast.Constant):
        return None
    return HydraMain(folder, str(name.value or ""), decorator.lineno)


def changes_words(text: str) -> bool:
    """May code change the command line, which hydra reads from `sys.argv`?"""
    return bool(_CHANGES.search(text))


def _functions(tree: ast.Module) -> Iterator[ast.FunctionDef]:
    return (node for node in walk(tree) if isinstance(node, ast.FunctionDef))


def _is_hydra(node: ast.expr, text: str) -> bool:
    if not isinstance(node, ast.Call):
        return False
    name = unparse(node.func)
    return name == "hydra.main" or (name == "main" and "from hydra import main" in text)


def _runs(tree: ast.Module, entry: Entry, name: str) -> bool:
    """Does the file call the function when it is started, under no other test?"""
    if entry.symbol not in ("<module>", MAIN):
        return entry.symbol == name
    blocks = [n.body for n in tree.body if isinstance(n, ast.If) and "__main__" in unparse(n.test)]
    statements = (s for body in (tree.body, *blocks) for s in body if isinstance(s, ast.Expr))
    return any(isinstance(s.value, ast.Call) and unparse(s.value.func) == name for s in statements)


def _folder(node: ast.expr | None, path: str, tree: ast.Module) -> str | None:
    """The folder of the tree; None where it is not written out, or lies outside."""
    text = None if node is None else _Paths(path, tree).path(node)
    if not text or text.startswith(("pkg:", "~")):
        return None
    whole = normpath(join(f"{_ROOT}/{dirname(path)}", text))
    return whole[len(_ROOT) :].strip("/") if f"{whole}/".startswith(f"{_ROOT}/") else None


@frozen()
class _Paths:
    """Paths as a file writes them: texts, `__file__`, os.path and pathlib."""

    file: str
    tree: ast.Module

    def path(self, node: ast.expr, depth: int = 0) -> str | None:
        """The path that an expression comes to; None where that does not show."""
        match node:
            case ast.Constant(value=str() as text):
                return text
            case ast.Name(id="__file__"):
                return f"{_ROOT}/{self.file}"
            case ast.Name(id=name) if depth < 4:
                return self._assigned(name, depth + 1)
            case ast.Attribute(value=value, attr="parent"):
                return self._above(self.path(value, depth))
            case ast.BinOp(left=left, op=ast.Div(), right=right):
                return self._joined([left, right], depth)
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                parts = [self.path(left, depth), self.path(right, depth)]
                return None if None in parts else "".join(map(str, parts))
            case ast.Call(func=func, args=args, keywords=[]):
                return self._called(func, args, depth)
        return None

    def _called(self, func: ast.expr, args: list[ast.expr], depth: int) -> str | None:
        name = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
        if name == "join":
            return self._joined(args, depth)
        if name in _SAME and not args and isinstance(func, ast.Attribute):
            return self.path(func.value, depth)
        if len(args) != 1 or name not in (*_SAME, "dirname"):
            return None
        inner = self.path(args[0], depth)
        return self._above(inner) if name == "dirname" else inner

    def _joined(self, nodes: list[ast.expr], depth: int) -> str | None:
        parts = [self.path(node, depth) for node in nodes]
        return None if None in parts or not parts else join(*map(str, parts))

    def _above(self, path: str | None) -> str | None:
        return None if path is None or not path.startswith(_ROOT) else dirname(path)

    def _assigned(self, name: str, depth: int) -> str | None:
        """What the only assignment of a name at the top of the file gives it."""
        stores = [n for n in walk(self.tree) if isinstance(n, ast.Name) and n.id == name]
        written = [n for n in stores if not isinstance(n.ctx, ast.Load)]
        for node in self.tree.body:
            if isinstance(node, ast.Assign) and len(written) == 1 and written[0] in node.targets:
                return self.path(node.value, depth)
        return None
