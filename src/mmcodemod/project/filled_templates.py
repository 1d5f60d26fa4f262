"""Words that a script of the tree replaces by `sed "s/WORD/.../"`: a file in which such words stand for
values is a template, and what the script makes of it is what programs read."""

from __future__ import annotations

from mmcodemod.model.pattern import regex
from mmcodemod.model.place import Place
from mmcodemod.project.called_scripts import SCRIPTS
from mmcodemod.project.model import Project
from mmcodemod.project.texts_of_files import text_of

_SED = regex(r"(?<![\w.-])sed\s")
_REPLACES = regex(r"(?<=[\s\"';])s([/#|@,:])(\w+)\1")


def replaced_words(project: Project) -> dict[str, Place]:
    """Each of them, with the first line that replaces it. Use through `project.get(replaced_words)`."""
    found: dict[str, Place] = {}
    for path in (p for p in project.tree.paths if p.endswith(SCRIPTS)):
        text = text_of(project, path)
        for number, line in enumerate(text.splitlines(), 1) if _SED.search(text) else ():
            for _, word in _REPLACES.findall(line):
                found.setdefault(word, Place(path, number))
    return found
