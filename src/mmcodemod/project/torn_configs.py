"""Configurations of the tree that no parser takes, by the paths that launches name them by."""

from __future__ import annotations

from posixpath import basename, splitext

from mmcodemod.facts.unparsed import bad_line
from mmcodemod.model.place import Place
from mmcodemod.project.death import Death, dead_at
from mmcodemod.project.model import Project
from mmcodemod.source.tree import UnreadableFile, decode

YAML = (".yaml", ".yml")


def torn(project: Project, path: str) -> Death | None:
    """How a run dies at the only file of the tree that a path can mean, where every parser refuses it."""
    json = path.endswith(".json")
    alike = project.get(by_stem).get(stem(path), [])
    found = [p for p in alike if f"/{p}".endswith(f"/{path}")]
    if len(found) != 1 or not (json or path.endswith(YAML)):
        return None
    memo = project.get(_bad_lines)
    if found[0] not in memo:
        memo[found[0]] = bad_line(_text(project, found[0]), json=json)
    at = Place(found[0], memo[found[0]])
    kind = "JSON" if json else "YAML"
    return dead_at(at, f"{kind} error", f"what stands there is no {kind}") if at.line else None


def _bad_lines(project: Project) -> dict[str, int]:
    return {}


def _text(project: Project, path: str) -> str:
    try:
        return decode(path, project.tree.read_bytes(path))
    except UnreadableFile:
        return ""


def by_stem(project: Project) -> dict[str, list[str]]:
    """The files of the tree by their names without endings."""
    found: dict[str, list[str]] = {}
    for path in project.tree.paths:
        found.setdefault(stem(path), []).append(path)
    return found


def stem(path: str) -> str:
    return splitext(basename(path))[0].lower()
