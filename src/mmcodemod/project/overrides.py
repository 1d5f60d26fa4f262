"""Words of a launch that give single keys of a configuration: `train.lr=1e-4`, `+a.b=c`, `++a.b=c`, and
`--options train.lr 1e-4 a.b c`.

Source: https://hydra.cc/docs/advanced/override_grammar/basic/, omegaconf.OmegaConf.from_cli (2.3). Programs
that take pairs of words put "=" between them for `OmegaConf.from_dotlist`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile

from mmcodemod.facts.shell import Word
from mmcodemod.model.context import Context
from mmcodemod.model.option import UNKNOWN, Option, Scalar, Special
from mmcodemod.model.pattern import regex
from mmcodemod.project.flags import coerced, place_of

PREFIX = "override."
GIVEN = "overrides"  # the option that says how many there are, at the first
_OVERRIDE = regex(r"(?P<sign>\+{0,2})(?P<key>[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+)=(?P<value>.*)", re.DOTALL)
_KEY = regex(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")
_PAIRED = ("--options", "--opts", "--cfg-options", "--cfg_options")
_SEVERAL = regex(r"[\[{(,*?]|\$\{")  # lists, dictionaries, sweeps, what refers to another key


def override_options(words: Iterable[Word], path: str) -> dict[str, Option]:
    """The overrides of a command by dotted key, the last of each."""
    words = tuple(words)
    found = dict(_pairs(words, path))
    for word in words:
        match = _OVERRIDE.fullmatch(word.text)
        if match:
            found[PREFIX + match["key"]] = Option(_value(word, match["value"]), place_of(path, word))
    first = next(iter(found.values()), None)
    return {**found, GIVEN: Option(len(found), first.at)} if first else {}


def _pairs(words: Sequence[Word], path: str) -> Iterator[tuple[str, Option]]:
    """The pairs behind a flag that takes such, where every second word is a dotted key."""
    at = next((i for i, w in enumerate(words) if w.text in _PAIRED), len(words))
    given = list(takewhile(lambda w: not w.text.startswith("--"), words[at + 1 :]))
    keys, values = given[::2], given[1::2]
    if len(keys) == len(values) and all(_KEY.fullmatch(k.text) for k in keys):
        for key, value in zip(keys, values):
            yield PREFIX + key.text, Option(_value(value, value.text), place_of(path, key))


def _value(word: Word, text: str) -> Scalar | Special:
    """The value as a configuration holds it; UNKNOWN for one that is no plain word."""
    quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "'\""
    if word.unknown or (not quoted and _SEVERAL.search(text)):
        return UNKNOWN
    return text[1:-1] if quoted else None if text in ("null", "None", "") else coerced(text)


def override_of(context: Context, name: str) -> tuple[str, Option] | None:
    """The override that a dotted name ends with: `self.cfg.train.lr` reads `train.lr`."""
    parts = name.split(".")
    keys = [".".join(parts[start:]) for start in range(len(parts) - 1)]
    return next(((k, o) for k in keys if (o := context.option(PREFIX + k)).at is not None), None)
