"""Programs that import several variants of a file by plain names that are nowhere: `from cones import Cone`
beside `from cones_flat import Cone as Flat`. Libraries of one family hardly give the same name, so these were
files beside the program, as others still are. Somebody may have them: what is found there is a note."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace
from posixpath import basename, dirname

from mmcodemod.facts.requirement import normalised
from mmcodemod.model.context import Context
from mmcodemod.model.frozen import frozen
from mmcodemod.model.place import Place
from mmcodemod.project.built_modules import is_packaged, may_be_there
from mmcodemod.project.death import Death, dead_at
from mmcodemod.project.import_order import statements_of
from mmcodemod.project.model import Project
from mmcodemod.project.search_path import at_path
from mmcodemod.project.texts_of_files import text_of

VARIANTS = 3  # two names may be those of two libraries: `flash_attn`, `flash_attn_interface`
LOST = 2  # of them, those that no file of the tree has for its name
_TELLING = (".md", ".rst", ".sh", ".bash", ".txt", "dockerfile", "makefile")
_BRINGS = re.compile(r"\b(?:clone|install|wget|curl|submodule)\b", re.IGNORECASE)


@frozen()
class Variant:
    """`from module import name` at a line of the program."""

    module: str
    name: str
    line: int

    @property
    def family(self) -> tuple[str, str]:
        """The first word of the module, and the name: alike for all variants of a file."""
        return self.module.strip("_").partition("_")[0], self.name


def lost(project: Project, context: Context) -> Death | None:
    """How such a program dies; None where the files may be anywhere."""
    entry = context.entry
    return None if entry is None or entry.library else project.once(_death, entry.path)


def _death(project: Project, path: str) -> Death | None:
    asked = list(_asked(project, path))
    for family in dict.fromkeys(one.family for one in asked):
        variants = list({one.module: one for one in asked if one.family == family}.values())
        if len(variants) >= VARIANTS and _takes_files(project, path, asked):
            gone = [one for one in variants if _is_gone(project, path, one.module)]
            if _are_files(project, gone) and not _may_come(project, path, family[0]):
                return _dead(path, gone)
    return None


def _are_files(project: Project, gone: list[Variant]) -> bool:
    """Are there enough of them to be variants of a file, and not merely in a folder beside?"""
    nowhere = [one for one in gone if not _is_anywhere(project, one.module)]
    return len(gone) >= VARIANTS and len(nowhere) >= LOST


def _takes_files(project: Project, path: str, asked: list[Variant]) -> bool:
    """Does the program take other files from around it?"""
    return any(_lies_around(project, path, one.module) for one in asked)


def _dead(path: str, variants: list[Variant]) -> Death:
    names = ", ".join(f"`{one.module}`" for one in variants[:VARIANTS])
    names += f" and {len(variants) - VARIANTS} more" if len(variants) > VARIANTS else ""
    at = Place(path, variants[0].line)
    return replace(dead_at(at, "ModuleNotFoundError", f"no folder around it has {names}"), sure=False)


def _asked(project: Project, path: str) -> Iterator[Variant]:
    """What the program surely asks of modules with a plain name."""
    for run in statements_of(project, path, dirname(path), program=True):
        node = run.node
        if run.begins and isinstance(node, ast.ImportFrom) and node.module and not node.level:
            plain = "." not in node.module
            names = [alias.name for alias in node.names if plain and alias.name != "*"]
            yield from (Variant(node.module, name, node.lineno) for name in names)


def _is_gone(project: Project, path: str, module: str) -> bool:
    """Does the module lie in no folder around the program, and is it none that a build or a library gives?"""
    built = is_packaged(project, module) or may_be_there(project, f"{dirname(path)}/{module}".lstrip("/"))
    return not (built or project.index.modules.is_library(module) or _lies_around(project, path, module))


def _lies_around(project: Project, path: str, module: str) -> bool:
    """Is there a module of that name beside the program, or in a folder above it?"""
    folder = dirname(path)
    while folder and at_path(project, f"{folder}/{module}") is None:
        folder = dirname(folder)
    return bool(folder) or at_path(project, module) is not None


def _is_anywhere(project: Project, module: str) -> bool:
    return any(module in (basename(p).removesuffix(".py"), basename(dirname(p))) for p in project.tree.paths)


def _may_come(project: Project, path: str, word: str) -> bool:
    """May Python find it elsewhere: where the program or a script says, as a requirement, or brought?"""
    required = any(word.lower() in name.split("-") for name in project.pins.found)
    return required or "sys.path" in text_of(project, path) or _is_brought(project, normalised(word))


def _is_brought(project: Project, word: str) -> bool:
    """Does a page or a script name other folders for modules, or bring something of that name?"""
    pages = (p for p in project.tree.paths if p.lower().endswith(_TELLING))
    lines = (line for page in pages for line in text_of(project, page).splitlines())
    return any("PYTHONPATH" in line or (_BRINGS.search(line) and word in line.lower()) for line in lines)
