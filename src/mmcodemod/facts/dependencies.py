"""Requirements as written: requirements files, pyproject.toml, setup.cfg, setup.py and a wheel's METADATA.
Line-based on purpose: Python 3.10 has no TOML reader, and every requirement keeps its line."""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Callable, Iterator

from mmcodemod.facts.versions import version_below
from mmcodemod.model.context import Dependency
from mmcodemod.model.place import Place
from mmcodemod.source.tree import Tree, UnreadableFile, read_text

__all__ = ["dependencies", "normalised", "version_below"]

MAX_SIZE = 500_000

_REQUIREMENT = re.compile(
    r"([A-Za-z0-9][A-Za-z0-9._-]{0,80})\s{0,3}(?:\[[^\]\n]{0,200}\])?\s{0,3}"
    r"(\(?\s{0,3}(?:[=<>!~^]=?=?)[^;#@\s'\"][^;#@'\"]{0,200}|@[^;'\"]{0,300})?\s{0,9}(?:;.{0,300})?"
)
_QUOTED = re.compile(r"\"([^\"\n]{1,300})\"|'([^'\n]{1,300})'")
_SECTION = re.compile(r"\[+\s*([^\]\n]+?)\s*\]+\s*(?:#.*)?")
_KEY = re.compile(r"\s*[\"']?([\w.-]+)[\"']?\s*=\s*(.*)")

Found = tuple[str, str, int]  # name, specifier, line


def dependencies(tree: Tree) -> dict[str, list[Dependency]]:
    """Every requirement by normalised name, in path and line order. May: optional extras count."""
    result: dict[str, list[Dependency]] = {}
    for path in tree.paths:
        for name, spec, line in _requirements_of(tree, path):
            result.setdefault(normalised(name), []).append(Dependency(name, spec, Place(path, line)))
    return result


def normalised(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _requirements_of(tree: Tree, path: str) -> Iterator[Found]:
    reader = _reader_for(path)
    if reader is None:
        return
    try:
        text = read_text(tree, path)
    except UnreadableFile:
        return
    if len(text) <= MAX_SIZE:
        yield from reader(text)


def _reader_for(path: str) -> Callable[[str], Iterator[Found]] | None:
    folder, name = posixpath.split(path)
    if name.endswith(".txt") and ("requirement" in name or posixpath.basename(folder) == "requirements"):
        return _requirements_file
    if name == "METADATA" and folder.endswith((".dist-info", ".egg-info")):
        return _metadata
    return {"pyproject.toml": _pyproject, "setup.cfg": _setup_cfg, "setup.py": _setup_py}.get(name)


def _parsed(text: str, line: int) -> Iterator[Found]:
    found = _REQUIREMENT.fullmatch(text.strip())
    if found is not None:
        spec = (found[2] or "").strip()
        yield found[1], spec.strip("() ").replace(" ", ""), line


def _requirements_file(text: str) -> Iterator[Found]:
    for number, line in enumerate(text.splitlines(), 1):
        if not line.lstrip().startswith(("-", "#")):
            yield from _parsed(re.split(r"(?:^|\s)#", line, maxsplit=1)[0].rstrip("\\ "), number)


def _metadata(text: str) -> Iterator[Found]:
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            return  # the description follows
        if line.startswith("Requires-Dist:"):
            yield from _parsed(line.partition(":")[2], number)


def _pyproject(text: str) -> Iterator[Found]:
    section, key, depth = "", "", 0
    for number, line in enumerate(text.splitlines(), 1):
        code = line if "#" not in line else re.sub(r"(?:^|\s)#[^\"']*$", "", line)
        if depth == 0 and (found := _SECTION.fullmatch(line.strip())):
            section, key = found[1], ""
            continue
        if depth == 0 and (pair := _KEY.match(code)):
            key = pair[1]
            code = pair[2]
            yield from _poetry(section, key, code, number)
        bare = _QUOTED.sub("", code)
        if _lists_requirements(section, key):
            for quoted in _QUOTED.finditer(code):
                yield from _parsed(quoted[1] or quoted[2], number)
        depth = max(0, depth + bare.count("[") - bare.count("]"))


def _lists_requirements(section: str, key: str) -> bool:
    if section == "project":
        return key == "dependencies" or key.startswith("optional-dependencies.")
    return section in ("project.optional-dependencies", "dependency-groups")


def _poetry(section: str, name: str, value: str, line: int) -> Iterator[Found]:
    """`name = "^1.2"` or `name = {version = "^1.2", ...}` below [tool.poetry...dependencies]."""
    if not (section.startswith("tool.poetry") and section.endswith("dependencies")) or name == "python":
        return
    version = (
        re.search(r"version\s*=\s*[\"']([^\"'\n]*)", value) if value.startswith("{") else _QUOTED.match(value)
    )
    spec = next((g for g in version.groups() if g), "") if version else ""
    if spec != "*":
        spec = f"=={spec}" if spec[:1].isdigit() else spec
    yield name, "" if spec == "*" else spec, line


def _setup_cfg(text: str) -> Iterator[Found]:
    section, key = "", ""
    for number, line in enumerate(text.splitlines(), 1):
        if found := _SECTION.fullmatch(line.strip()):
            section, key = found[1], ""
            continue
        if (pair := _KEY.match(line)) and not line[:1].isspace():
            key, line = pair[1], pair[2]
        if section == "options.extras_require" or (section == "options" and key == "install_requires"):
            yield from _parsed(line.partition("#")[0], number)


def _setup_py(text: str) -> Iterator[Found]:
    """String literals inside lists that look like requirements. The code is parsed, never run."""
    try:
        module = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    keywords = ("require", "install_requires", "requires", "extras")
    for node in ast.walk(module):
        match node:
            case ast.keyword(arg=str(name), value=value) if any(k in name for k in keywords):
                yield from _literals(value)
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if any(k in name for k in keywords):
                yield from _literals(value)


def _literals(value: ast.expr) -> Iterator[Found]:
    for node in ast.walk(value):
        if isinstance(node, ast.List | ast.Tuple | ast.Set):
            for item in node.elts:
                if isinstance(item, ast.Constant) and isinstance(item.value, str):
                    yield from _parsed(item.value, item.lineno)
