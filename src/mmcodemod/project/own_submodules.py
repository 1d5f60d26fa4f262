"""Names that a package's own file may read without binding them: the modules that lie beside it.

Source: the language reference, "The import system", "Submodules": whoever loads a submodule, by whatever
import, binds it in the namespace of its parent package. May-analysis: any import may have loaded it.
"""

from __future__ import annotations

from posixpath import basename, dirname

from mmcodemod.project.model import Project

_PACKAGE = "__init__.py"


def is_own_submodule(project: Project, path: str, name: str) -> bool:
    """Is the file a package's own, and does a module or a folder of that name lie in the package?"""
    if basename(path) != _PACKAGE:
        return False
    stem = f"{dirname(path)}/{name}"
    return any(p.startswith((f"{stem}/", f"{stem}.")) for p in project.tree.paths)
