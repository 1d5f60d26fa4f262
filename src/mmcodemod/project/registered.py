"""Classes that a registry hands out by a name, `@registry.register_task("x")`, which nothing asks for: no
code, configuration, script or page of the tree has an "x" besides, or the configuration that a launch names
has the name of another one of the registry. Must-analysis."""

from __future__ import annotations

import ast
import re
from posixpath import normpath

from mmcodemod.facts.python import ClassFacts
from mmcodemod.model.context import Context
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


def unpicked(project: Project, context: Context, facts: ClassFacts) -> str:
    """Whether a run asks for a class that a registry has, as an open fact; "" where something may ask for it,
    and of a class that no registry has."""
    registry, name = _registered(facts.node)
    heirs = [project.index.cls(cls) for cls in project.resolver.classes.subclasses(facts.id)]
    if not name or not all(_registered(heir.node)[0] == registry for heir in heirs):
        return ""
    told = f"under which `{facts.qualname}` is registered"
    if not project.once(_is_said, name):
        return f'whether some run asks for "{name}", {told}'
    at, other = _another(project, context, registry, name)
    return f'whether the run asks for "{name}", {told}: {at} says "{other}"' if at else ""


def _registered(node: ast.AST) -> tuple[str, str]:
    """The one decorator, whose name begins with "register", and the one word that it is given."""
    decorators = node.decorator_list if isinstance(node, ast.ClassDef) else []
    if len(decorators) != 1 or not isinstance(decorators[0], ast.Call):
        return "", ""
    call = decorators[0]
    called = getattr(call.func, "attr", getattr(call.func, "id", ""))
    first = call.args[0] if len(call.args) == 1 and not call.keywords else None
    word = first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else ""
    return (called, word) if called.startswith("register") and word else ("", "")


def _another(project: Project, context: Context, registry: str, name: str) -> tuple[str, str]:
    """The configuration of the launch that has the name of another class of the registry, and that; nothing
    where one of them, or another option, has this one."""
    given = [str(option.value) for _, option in sorted(context.options.items())]
    texts = {path: text_of(project, path) for path in _configurations(project, given)}
    if any(_says(text, name) for text in (*texts.values(), *given)):
        return "", ""
    others = project.get(_registries).get(registry, ())
    found = ((path, other) for path, text in texts.items() for other in others if _says(text, other))
    return next(found, ("", ""))


def _configurations(project: Project, given: list[str]) -> list[str]:
    """The files of the tree, apart from code, that the launch gives to its program by their path."""
    return [path for path in map(normpath, given) if path.endswith(_TELLING) and path in project.tree.paths]


def _registries(project: Project) -> dict[str, list[str]]:
    """By decorator, the names that it registers classes under. Use through `project.get(_registries)`."""
    found: dict[str, list[str]] = {}
    for path in project.index.python_files:
        for cls in project.index.files[path].classes.values():
            registry, name = (
                _registered(cls.node) if any("register" in d for d in cls.decorators) else ("", "")
            )
            if name:
                found.setdefault(registry, []).append(name)
    return found


def _says(text: str, name: str) -> bool:
    return name in text and re.search(_word(name), text) is not None


def _word(name: str) -> str:
    return rf"(?<![\w-]){re.escape(name)}(?![\w-])"


def _is_said(project: Project, name: str) -> bool:
    """Does the tree say the name otherwise than where one class is registered?"""
    word = _word(name)
    quoted = re.compile(rf"[\"'][^\"'\n]*{word}[^\"'\n]*[\"']")
    told = (p for p in project.tree.paths if p.endswith((*_TELLING, *_PAGES)))
    if any(_says(text_of(project, p), name) for p in told):
        return True
    code = (text_of(project, p) for p in project.tree.paths if p.endswith(".py"))
    return sum(len(quoted.findall(text)) for text in code if name in text) > 1
