"""Lets ranks that are done go on until all are.

before: model.generate(**batch, max_new_tokens=64)
after:  model.generate(**batch, max_new_tokens=64, synced_gpus=True)
"""

from __future__ import annotations

from mmcodemod.api import Applicability, Finding, Fix, Project, Site, Strategy, edit_python

KEYWORD = "synced_gpus"


def fix(project: Project, site: Site, finding: Finding) -> Fix:
    """The keyword; unsafe where the code also runs otherwise, for then ranks wait for each other as well. For
    a dictionary that says it, it is only shown."""
    if site.data.synced is not None and all(k.arg != KEYWORD for k in site.node.keywords):
        return Fix(f"set `{KEYWORD}` to True in the dictionary", Applicability.DISPLAY)
    title = f"let ranks wait for each other: `{KEYWORD}=True`"
    reached = [c for c in project.contexts if c.entry is None or site.function in project.reach(c.entry)]
    always = all(context.strategy is Strategy.ZERO3 for context in reached)
    how = Applicability.SAFE if always else Applicability.UNSAFE
    edits = edit_python.set_keyword(project.index.text(site.path), site.path, site.node, KEYWORD, True)
    return Fix(title, how, tuple(edits)) if edits else Fix(title, Applicability.DISPLAY)
