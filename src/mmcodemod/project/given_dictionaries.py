"""The dictionary of the code that `deepspeed.initialize` is given, as it is by then: copied, merged, imported
and changed. Must-analysis: None where that does not show."""

from __future__ import annotations

from mmcodemod.facts.syntax import unparse
from mmcodemod.model.option import Option
from mmcodemod.project.changed_keys import changed
from mmcodemod.project.code_values import CodeValues
from mmcodemod.project.ds_initialize import Initialized
from mmcodemod.project.followed import Followed
from mmcodemod.project.holders import occurrences
from mmcodemod.project.model import Project
from mmcodemod.project.python_config import flat


def given_dictionary(project: Project, made: Initialized) -> dict[str, Option] | None:
    """Its scalars, by dotted key."""
    facts = project.index.function(made.function)
    module = project.sources.python(facts.path)
    if made.config is None or module is None:
        return None
    value = project.get(_values).before(facts.path, module, facts.node, made.call, made.config)
    return flat(value.content) if isinstance(value.content, dict) else None


def _values(project: Project) -> CodeValues:
    """Use through `project.get(_values)`."""
    return CodeValues(project.sources, project.index)


def open_to_change(project: Project, made: Initialized) -> bool:
    """May code change a dictionary on its way to the call, as far as names and attributes hold it?"""
    if made.config is None:
        return True
    followed = Followed(project, {facts.id for facts in project.functions()})
    followed.of(made.config, made.function)
    kept = {unparse(holder.expr) for holder in followed.through}
    for holder in dict.fromkeys(followed.through):
        for node, parents in occurrences(project, holder) or ((holder.expr, None),):
            if parents is None or changed(node, parents, kept) is None:
                return True
    return False
