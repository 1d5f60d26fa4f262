"""Scripts that `sbatch` or a shell is given as a here-document: what they ask for, what their shell knows."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from mmcodemod.facts import sbatch
from mmcodemod.facts.shelltexts import shell_at
from mmcodemod.facts.shellvalues import Piece, Value, Word
from mmcodemod.facts.shellwords import Token, filled_in, tokens
from mmcodemod.model.pattern import regex

_WITH_VALUE = regex(r"-[a-z]*o")  # `-o pipefail`, `-eo pipefail`


def submits(words: Sequence[Word]) -> bool:
    """Is it `sbatch` or a shell without a script, which reads that from where it is sent to?"""
    return (is_batch(words) and sbatch.is_open(words)) or _shell(words) is not None


def is_batch(words: Sequence[Word]) -> bool:
    """Is it `sbatch`?"""
    return posixpath.basename(words[0].text) == "sbatch"


def around(words: Sequence[Word]) -> tuple[Word, ...]:
    """The words in front of the shell: `nohup` of `nohup bash <<EOF`."""
    return tuple(words[: _shell(words) or 0])


def _shell(words: Sequence[Word]) -> int | None:
    """Where the shell stands that reads its script so: it has options alone."""
    at = shell_at([posixpath.basename(word.text) for word in words[:40]])
    values = {n + 1 for n, word in enumerate(words) if _WITH_VALUE.fullmatch(word.text)}
    rest = range(at + 1, len(words)) if at is not None else ()
    named = any(n not in values and not words[n].text.startswith("-") for n in rest)
    return None if named else at


def job_tokens(here: Token) -> Iterator[Token]:
    """Those of the script, where they are written."""
    return tokens(_placed(here)) if is_literal(here) else filled_in(_placed(here))


def job_asks(here: Token, words: Sequence[Word]) -> dict[str, Word]:
    """What its `#SBATCH` lines and the options of the command ask Slurm for; a shell asks for nothing."""
    if not is_batch(words):
        return {}
    lines = sbatch.directives(_placed(here))
    return {**{n: replace(w, unknown="$" in w.text) for n, w in lines.items()}, **sbatch.given(words)}


def job_variables(
    here: Token, outer: Mapping[str, Value], env: Mapping[str, Word], asked: dict[str, Word]
) -> dict[str, Value]:
    """What variables hold there: what the command exports and Slurm sets; and all of the shell around it,
    which writes their values into the text where the delimiter has no quotes."""
    exported = {name: Value((w.pieces or (Piece(w.text, w.at, w.unknown),),)) for name, w in env.items()}
    written = {} if is_literal(here) else dict(outer)
    return {**exported, **written, **sbatch.variables(asked)}


def is_literal(here: Token) -> bool:
    """Does the job's shell read it as it stands?"""
    return any(segment.quoted for segment in here.segments)


def _placed(here: Token) -> str:
    """The text, on the lines of the script around it."""
    return "\n" * (here.at[0] - 1) + here.text
