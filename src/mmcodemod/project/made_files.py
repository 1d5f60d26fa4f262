"""Files that the tree does not hold because a script, or the reader of a page, makes them first. May: a line
that names the file and speaks of making one is enough."""

from __future__ import annotations

import re
from collections.abc import Iterator
from posixpath import basename

from mmcodemod.model.pattern import regex
from mmcodemod.model.place import Place
from mmcodemod.project.model import Project
from mmcodemod.source.discover import EXCLUDED
from mmcodemod.source.tree import UnreadableFile, may_hold

_DATA = (".json", ".lock")
_PAGES = (".md", ".txt")
_BEFORE = 12  # lines
_ASKS = regex(
    r"\b(?:creat|writ|prepar|defin|mak|cop|customi)\w*\b.{0,60}\b(?:config|yaml|settings)", re.IGNORECASE
)
_DEFAULT = regex(r"\$\{\w+:?[-=]([^}\n]*)\}|^\w+\s*\?=[ \t]*(\S+)", re.MULTILINE)
_TELLING = 3  # characters
_MAKES = regex(
    r"\b(?:creat|writ|wrote|cop(?:y|ies)|cp\b|mv\b|ln\b|tee\b|touch|download|wget|curl|generat|renam|out\b|output\b"
    r"|export|rsync|scp\b|unzip|tar\b|dump|save\b)|open\(|\.save|创建|新建|复制|下载|生成|编写",
    re.IGNORECASE,
)
_READS = regex(r"open\([^,()]*(?:,\s*(?:mode\s*=\s*)?['\"]r[bt]?['\"])?\s*\)")


def is_hidden(project: Project, path: str) -> bool:
    """Is it in a folder that is not read, or a link, or a submodule's?"""
    return any(part in EXCLUDED for part in path.split("/")) or may_hold(project.tree, path)


def may_be_made(project: Project, path: str) -> bool:
    """Does a text of the tree speak of making a file of that name?"""
    return project.once(_is_told, basename(path))


def may_be_replaced(project: Project, path: str) -> bool:
    """The same of a file that is there: what opens it to read it makes none."""
    return any(_makes(_READS.sub("", line), basename(path)) for line in _told(project, basename(path)))


def is_asked_for(project: Project, launch: Place) -> bool:
    """Does a page ask its readers for a configuration of their own shortly before it launches?"""
    if not launch.path.endswith(_PAGES):
        return False
    lines = _bytes(project, launch.path).decode(errors="replace").splitlines()
    return bool(_ASKS.search("\n".join(lines[max(launch.line - _BEFORE, 0) : launch.line])))


def is_default(project: Project, launch: Place, told: str) -> bool:
    """Is what a sentence names, or a part of it, a default in the file of the launch?"""
    text = _bytes(project, launch.path).decode(errors="replace")
    found = (default.strip("\"'./ ") for pair in _DEFAULT.findall(text) for default in pair)
    return any(len(default) >= _TELLING and default in told for default in found)


def _is_told(project: Project, name: str) -> bool:
    return any(_told(project, name))


def _told(project: Project, name: str) -> Iterator[str]:
    """The lines that name a file and speak of making one."""
    for path in project.tree.paths:
        if path.endswith(_DATA) or name.encode() not in (data := _bytes(project, path)):
            continue
        lines = (line for line in data.decode(errors="replace").splitlines() if name in line)
        yield from (line for line in lines if _makes(line, name))


def _makes(line: str, name: str) -> bool:
    return bool(_MAKES.search(line) or re.search(rf">\s*[\"']?[\w./-]*{re.escape(name)}", line))


def _bytes(project: Project, path: str) -> bytes:
    try:
        return project.tree.read_bytes(path)
    except UnreadableFile:
        return b""
