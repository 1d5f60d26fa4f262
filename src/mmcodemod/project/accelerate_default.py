"""The accelerate configuration of the tree that a launch which names none may run with. Accelerate reads then
`~/.cache/huggingface/accelerate/default_config.yaml`: maybe a copy of what the tree brings."""

from __future__ import annotations

from mmcodemod.knowledge.deepspeed_gates import ACCELERATE_ASKS_TO_CLIP
from mmcodemod.model.context import Context, Strategy
from mmcodemod.model.option import MISSING, UNKNOWN, Option
from mmcodemod.project import versions
from mmcodemod.project.accelerate_config import UNREAD, file_options
from mmcodemod.project.deepspeed_config import named_config
from mmcodemod.project.model import Project
from mmcodemod.project.paths import Where
from mmcodemod.project.run_options import deepspeed_name

_DEFAULT = "default_config.yaml"
_SAYS = b"distributed_type"  # the key that `accelerate config` always writes


def names_none(context: Context) -> bool:
    """Does `accelerate launch` start the run without a configuration of its own?"""
    return context.launched_by == "accelerate" and context.option("launcher.config_file").at is None


def named_in_vain(context: Context) -> str:
    """The accelerate configuration that the launch of an open strategy names and that is not in the tree, as
    an open fact; "" where it names none, or one that is read."""
    named = context.option("launcher.config_file")
    started = context.launched_by == "accelerate" and context.strategy is Strategy.UNKNOWN
    if not started or named.at is None or named.value in (MISSING, None, True):
        return ""
    if not isinstance(named.value, str):
        return f"the accelerate configuration that {named.at} names, which does not show"
    read = {path.rpartition("/")[2] for path in context.configs}
    if named.value.rpartition("/")[2] in read:
        return ""
    return f"the accelerate configuration {named.value}, which {named.at} names and the tree does not have"


def deepspeed_asked(context: Context) -> str:
    """The fact that stays open where a launch asks for DeepSpeed, by a file that cannot be read or by none;
    "" where it does not ask."""
    file, flag = context.option("deepspeed"), context.option("accelerate.use_deepspeed")
    if file.value is UNKNOWN and file.at is not None:
        said = f", as {file.note}" if file.note else ""
        return f"the DeepSpeed configuration that {file.at} names, which does not show{said}"
    old = versions.below(context, "accelerate", ACCELERATE_ASKS_TO_CLIP)  # then it writes no such key
    if flag.value is True and flag.at is not None and not old:
        return f"the user's accelerate configuration, with --use_deepspeed at {flag.at}"
    unread = context.option(UNREAD).at
    if unread is not None and context.strategy is Strategy.UNKNOWN:
        return f"the user's accelerate configuration, which may turn on DeepSpeed as {unread} describes it"
    return ""


def meant(project: Project) -> dict[str, Option]:
    """The options of the file that is called as accelerate's own, or is the only one; {} where there is none.
    Use through `project.get`."""
    sources = project.sources
    every = configurations(project)
    called = [path for path in every if path.rpartition("/")[2] == _DEFAULT] or every
    root = sources.root(called[0]) if len(called) == 1 else None
    if root is None:
        return {}
    options = file_options(root, called[0])
    named = deepspeed_name(options)
    where = Where(sources.paths, called[0].rpartition("/")[0])
    return {**options, **named_config(sources, where, named).options} if named else options


def configurations(project: Project) -> list[str]:
    """The accelerate configurations of the tree. Use through `project.get`."""
    sources = project.sources
    yamls = (p for p in sorted(sources.paths) if p.endswith((".yaml", ".yml")))
    said = [p for p in yamls if _SAYS in sources.data(p)]
    return [p for p in said if (root := sources.root(p)) and root.member("distributed_type")]
