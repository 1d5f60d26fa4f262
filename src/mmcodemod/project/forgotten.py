"""Names that a file reads without binding them: does anything show that they were forgotten, or may another
file put them there?"""

from __future__ import annotations

import re

from mmcodemod.project.model import Project


def known_elsewhere(project: Project) -> dict[str, str]:
    """The names that files of the tree import or define, with a file. Use through `project.get`."""
    found: dict[str, str] = {}
    for path in project.index.python_files:
        file = project.index.files[path]
        defined = (name for name in (*file.functions, *file.classes) if "." not in name)
        for name in (*defined, *(i.bound for i in file.imports)):
            found.setdefault(name, path)
    return found


def set_from_outside(project: Project, name: str) -> bool:
    """May a file of the tree put a name into a module, or among the builtins?"""
    sets = re.compile(rf"\.{name}\s*(?:[:,]|=(?!=))|setattr\([^)]*['\"]{name}['\"]|builtins\b.*\b{name}\b")
    return any(sets.search(project.index.text(facts.path)) for facts in project.mentioning(name))
