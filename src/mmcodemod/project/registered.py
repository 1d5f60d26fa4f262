"""Classes that a registry hands out by a name which nothing in the tree says: `@registry.register_task("x")`,
where no code, configuration, script or page has an "x" besides. Must-analysis."""

from __future__ import annotations

import ast
import re

from mmcodemod.facts.python import ClassFacts
from mmcodemod.project.model import Project
from mmcodemod.project.texts_of_files import text_of

_TELLING = (
    ".yaml",
    ".yml",
    ".json",
    ".jsonnet",
    ".toml",
    ".cfg",
    ".ini",
    ".sh",
    ".bash",
    ".slurm",
    ".sbatch",
)
_PAGES = (".md", ".rst", ".txt", ".ipynb", "Makefile", "Dockerfile")


def unpicked(project: Project, facts: ClassFacts) -> str:
    """The name under which a class is registered and which nothing picks, or ""."""
    name = _registered(facts.node)
    return name if name and not project.once(_is_said, name) else ""


def _registered(node: ast.AST) -> str:
    """The one word of the one decorator, whose name begins with "register"."""
    decorators = node.decorator_list if isinstance(node, ast.ClassDef) else []
    if len(decorators) != 1 or not isinstance(decorators[0], ast.Call):
        return ""
    call = decorators[0]
    called = getattr(call.func, "attr", getattr(call.func, "id", ""))
    given = call.args[0] if len(call.args) == 1 and not call.keywords else None
    word = given.value if isinstance(given, ast.Constant) and isinstance(given.value, str) else ""
    return word if called.startswith("register") else ""


def _is_said(project: Project, name: str) -> bool:
    """Does the tree say the name otherwise than where one class is registered?"""
    word = rf"(?<![\w-]){re.escape(name)}(?![\w-])"
    quoted = re.compile(rf"[\"'][^\"'\n]*{word}[^\"'\n]*[\"']")
    told = (p for p in project.tree.paths if p.endswith((*_TELLING, *_PAGES)))
    if any(name in (text := text_of(project, p)) and re.search(word, text) for p in told):
        return True
    code = (text_of(project, p) for p in project.tree.paths if p.endswith(".py"))
    return sum(len(quoted.findall(text)) for text in code if name in text) > 1
