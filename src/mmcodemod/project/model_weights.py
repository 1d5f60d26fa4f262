"""How many weights the model of a run has, where its name says so: `base-7b`, `Chat-1.5B`, `bart-large`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.syntax import unparse
from mmcodemod.knowledge.model_sizes import BY_NAME, EMBEDDINGS, SMALLEST
from mmcodemod.model.context import Context
from mmcodemod.model.frozen import frozen
from mmcodemod.model.option import Option
from mmcodemod.model.pattern import regex
from mmcodemod.model.place import Place
from mmcodemod.project.model import Project
from mmcodemod.project.settings import Settings
from mmcodemod.project.stubs import is_stub

# `1_8b` is taken for 1.8: the lower of its two readings. `7b1`, `8x7b` and `llama7b` have seven.
_SIZE = regex(r"(?<![\d.])(\d{1,3}(?:[._]\d{1,3})?)([bm])(?![a-z])")
_UNITS = {"b": 1e9, "m": 1e6}
_MODEL = regex(r"model|llm|(^|_)lm|language|base|backbone|pretrain|checkpoint|ckpt|arch|variant|version")
_OTHER = regex(
    r"vision|visual|image|audio|speech|tower|encoder|teacher|(^|_)ref|reward|draft|judge|critic|eval|data|"
    r"out|log|save|vae|metric|embed|token|process"
)
_LOADS = "from_pretrained"


@frozen()
class Weights:
    """`count` weights, which `name` at a place of the tree stands for."""

    count: float
    name: str
    at: Place


def named_weights(project: Project, context: Context) -> Weights | None:
    """The largest model that the launch, its configuration or a load in code of the run names; None where no
    name says how many weights it has."""
    found = (*_given(context), *_loaded(project, context))
    return max(found, key=lambda w: w.count, default=None)


def open_weights(project: Project, context: Context, room: int) -> str:
    """What is open about the model having more weights than `room`; "" where its name says that it has, or
    nearly every model has."""
    found = named_weights(project, context) if room > SMALLEST else None
    if room <= SMALLEST or (found is not None and found.count > room):
        return ""
    if found is None:
        return f"how many weights the model has: two buckets hold {room:,} gradients"
    return f"whether {found.name} ({found.at}) has more weights than the {room:,} that two buckets hold"


def open_embedding(project: Project, context: Context, elements: int) -> str:
    """What is open about a gradient of the model being larger than a bucket; "" where one is."""
    found = named_weights(project, context)
    count = found.count if found is not None else 0.0
    if elements < next(words for least, words in EMBEDDINGS if count >= least):
        return ""
    of = f"{found.name} ({found.at})" if found is not None else "the model"
    return f"whether a gradient of {of} is larger than a bucket of {elements:,} elements"


def _given(context: Context) -> Iterator[Weights]:
    """What options call a model."""
    for name, option in sorted(context.options.items()):
        if _MODEL.search(name.lower()) and not _OTHER.search(name.lower()):
            yield from _of_option(option)


def _of_option(option: Option) -> Iterator[Weights]:
    value = option.value if isinstance(option.value, str) else option.default
    if isinstance(value, str) and option.at is not None:
        yield from _named(value, option.at)


def _loaded(project: Project, context: Context) -> Iterator[Weights]:
    """What code of the run loads by a name that shows."""
    reach, settings = project.reach(context.entry) if context.entry else (), Settings(project, context)
    for facts in project.mentioning(_LOADS):
        if facts.id in reach and not is_stub(facts.id):
            for call in project.calls_of(facts.id, (_LOADS,)):
                if call.args and not _OTHER.search(_called(call)):
                    yield from _of_call(project, settings, call, facts.id)


def _called(call: ast.Call) -> str:
    return f"{unparse(call.func)}({unparse(call.args[0])})".lower()


def _of_call(project: Project, settings: Settings, call: ast.Call, function: str) -> Iterator[Weights]:
    at = project.place(function.partition("::")[0], call)
    for setting in settings.of(call.args[0], function):
        if isinstance(setting.value, str):
            yield from _named(setting.value, setting.at or at)


def _named(text: str, at: Place) -> Iterator[Weights]:
    """Of a path the last part that says a size counts."""
    for part in reversed(text.rstrip("/").split("/")):
        count = size_in(part)
        if count is not None:
            yield Weights(count, part, at)
            return


def size_in(name: str) -> float | None:
    """The weights that a name stands for; of several sizes in it the smallest. In `7b-1m`, 1m is no size."""
    lower = name.lower()
    found = _SIZE.findall(lower)
    billions = [f for f in found if f[1] == "b"]
    if found:
        return min(float(n.replace("_", ".")) * _UNITS[unit] for n, unit in billions or found)
    known = [part for part in BY_NAME if part in lower]
    return BY_NAME[max(known, key=len)] if known else None
