"""Commands whose arguments are commands again: `bash -c TEXT`, `eval TEXT`, `sbatch --wrap TEXT`,
`tmux send-keys TEXT`."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence
from dataclasses import replace

from mmcodemod.facts import sbatch
from mmcodemod.facts.lines import Position
from mmcodemod.facts.shellvalues import Word
from mmcodemod.facts.shellwords import Segment, Token, tokens
from mmcodemod.model.frozen import frozen
from mmcodemod.model.pattern import regex

SHELLS = ("bash", "sh", "dash", "zsh")
WRAPPERS = {
    "srun", "nohup", "sudo", "env", "exec", "time", "timeout", "singularity", "apptainer", "mpirun",
    "mpiexec", "setsid", "nice", "numactl", "screen", "stdbuf", "xvfb-run", "command", "taskset",
}  # fmt: skip
_WRAP = "--wrap"
_WITH_TEXT = regex(r"-[a-z]{0,8}c")
_TYPING = {"send-keys", "send", "new-session", "new", "new-window", "neww", "respawn-pane", "split-window"}


@frozen(slots=True)
class Inner:
    """`kind`: eval (the same shell reads it), shell (a child does) or terminal (a shell of its own).
    `wrapper`: the words in front of the shell; `arguments`: what the text knows as `$1` and so on; `asked`:
    what a job asks Slurm for, None where it is none."""

    kind: str
    texts: tuple[Word, ...]
    wrapper: tuple[Word, ...] = ()
    arguments: tuple[Word, ...] = ()
    asked: dict[str, Word] | None = None


def inner(words: Sequence[Word]) -> Inner | None:
    """The texts that a command reads as commands, None when it has none."""
    names = [posixpath.basename(word.text) for word in words[:40]]
    if names[0] == "eval":
        return Inner("eval", tuple(words[1:])) if len(words) == 2 else None
    if names[0] == "tmux":
        texts = tuple(w for w in words if " " in w.text) if _TYPING & set(names) else ()
        return Inner("terminal", texts) if texts else None
    if names[0] == "sbatch":
        return _wrapped(words)
    at = shell_at(names)
    return None if at is None else _given(words, at)


def shell_at(names: Sequence[str]) -> int | None:
    """Where the shell stands that a command starts, also behind `srun` and the like."""
    at = next((i for i, name in enumerate(names) if name in SHELLS), None)
    return None if at and names[0] not in WRAPPERS else at


def _wrapped(words: Sequence[Word]) -> Inner | None:
    """`sbatch --wrap TEXT`, without a script."""
    for number, word in enumerate(words):
        if word.text.startswith(_WRAP) and sbatch.is_open(words):
            text = replace(word, text=word.text[len(_WRAP) + 1 :])
            texts = (text,) if word.text != _WRAP else tuple(words[number + 1 : number + 2])
            return Inner("shell", texts, asked=sbatch.given(words)) if texts else None
    return None


def _given(words: Sequence[Word], at: int) -> Inner | None:
    """`-c TEXT NAME ARGUMENT...` behind the shell at `at`, other options in front of it."""
    for number in range(at + 1, min(at + 6, len(words) - 1)):
        if _WITH_TEXT.fullmatch(words[number].text):
            text, *rest = words[number + 1 :]
            return Inner("shell", (text,), tuple(words[:at]), tuple(rest[1:]))
        if not words[number].text.startswith("-"):
            return None
    return None


def placed_tokens(word: Word) -> Iterator[Token]:
    """The tokens of such a text; all of them stand where the word does."""
    for token in tokens(word.text):
        if token.kind != "here":  # its lines would stand nowhere
            yield _placed(token, word.at, word.end)


def _placed(token: Token, at: Position, end: Position) -> Token:
    segments = tuple(_segment(s, at) for s in token.segments)
    elements = token.elements and tuple(_placed(e, at, end) for e in token.elements)
    return replace(token, at=at, end=end, segments=segments, elements=elements)


def _segment(segment: Segment, at: Position) -> Segment:
    default = segment.default and tuple(_segment(s, at) for s in segment.default)
    return replace(segment, at=at, default=default)
