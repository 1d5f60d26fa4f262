"""Job scripts that `sbatch` is given as a here-document: what they ask for, and what their shell knows."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from mmcodemod.facts import sbatch
from mmcodemod.facts.shellvalues import Piece, Value, Word
from mmcodemod.facts.shellwords import Token, filled_in, tokens


def submits(words: Sequence[Word]) -> bool:
    """Is it `sbatch` without a script, which reads that from where it is sent to?"""
    return posixpath.basename(words[0].text) == "sbatch" and sbatch.is_open(words)


def job_tokens(here: Token) -> Iterator[Token]:
    """Those of the script, where they are written."""
    return tokens(_placed(here)) if is_literal(here) else filled_in(_placed(here))


def job_asks(here: Token, words: Sequence[Word]) -> dict[str, Word]:
    """What its `#SBATCH` lines and the options of the command ask Slurm for."""
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
