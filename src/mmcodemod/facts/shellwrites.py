"""Files that a command writes because its arguments name them. May: the commands that scripts change
configurations with, and flags that name a result."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from mmcodemod.facts.shellvalues import Word
from mmcodemod.model.frozen import frozen
from mmcodemod.model.pattern import regex

_COPIES = ("cp", "mv", "install", "ln", "rsync")
_EDITORS = {
    "sed": regex(r"-[a-zA-Z]*i.*|--in-place.*"),
    "perl": regex(r"-[a-zA-Z0-9]*i.*"),
    "yq": regex(r"-i|--inplace"),
}
_RESULT = regex(r"--?(?:o|O|out|outfile|output|save|dest|dst|target|write)(?:[-_](?!dir)\w+)*")


@frozen(slots=True)
class Written:
    """A file as the script names it, and the folder that `cd` had led to."""

    word: Word
    cwd: str | None


def written(words: Sequence[Word]) -> Iterator[Word]:
    """The words that may name a file which the command writes."""
    name, given = posixpath.basename(words[0].text), [w for w in words[1:] if not w.text.startswith("-")]
    if name == "tee" or (name in _EDITORS and any(_EDITORS[name].fullmatch(w.text) for w in words[1:])):
        yield from given
    elif name in _COPIES and len(given) > 1:
        yield from _copies(given)
    else:
        yield from _results(words)


def _copies(given: Sequence[Word]) -> Iterator[Word]:
    """The target, and the files of the same names in it if it is a folder."""
    *sources, target = given
    yield target
    for source in sources:
        yield replace(target, text=f"{target.text}/{posixpath.basename(source.text)}")


def _results(words: Sequence[Word]) -> Iterator[Word]:
    """What `--out FILE` and `--out=FILE` name."""
    for flag, named in pairwise(words):
        if _RESULT.fullmatch(flag.text):
            yield named
    for word in words:
        name, equals, text = word.text.partition("=")
        if equals and _RESULT.fullmatch(name):
            yield replace(word, text=text)
