"""What is quoted from a log: short, and without what looks like a secret."""

from __future__ import annotations

from collections.abc import Iterable

from mmcodemod.model.pattern import regex

WIDTH = 240  # characters of a quotation
BEFORE = 60  # of them, those before what speaks

_MASK = "***"
_OF_TEXT = (
    r"(?!(?:\w{1,20}_)?(?:pad|cls|eos|bos|unk|sep|mask|image|video|audio|vision|start|end|special)_token)"
)
_WORDS = r"token|api[_-]?key|access[_-]?key|secret|passw(?:or)?d|credential|auth[_-]?key"
_NAMES = rf"{_OF_TEXT}[\w-]{{0,40}}(?:{_WORDS})"
_KNOWN = regex(
    r"\b(?:hf_|gh[pousr]_|github_pat_|glpat-|sk-|xox[abprs]-|AKIA|ASIA|AIza|ya29\.|npm_|pypi-|dckr_pat_"
    r"|wandb_v1_)[\w.-]{8,400}"
    r"|\beyJ[\w-]{8,4000}\.[\w-]{1,4000}(?:\.[\w-]{1,2000})?"
    r"|\b[0-9a-f]{40}\b"  # a key of wandb (or a commit, which is no loss)
)
_NAMED = regex(
    rf"(?i)(?P<name>\b{_NAMES}[\"']?(?:=|\s{{0,3}}[=:,]?\s{{1,3}}(?=[\"']?[\w.~+/-]{{0,60}}\d)))"
    r"(?P<quote>[\"']?)(?!None\b|True\b|False\b|null\b|\d{1,9}\b)[^\s\"',;)&]{6,2000}"
)
_BEARER = regex(r"(?i)\b(?P<name>(?:bearer|basic) {1,3})[\w.~+/=-]{8,4000}")
_LOGIN = regex(r"(?P<name>\b[a-z][a-z0-9+.-]{1,12}://[^\s:/@]{0,100}:)[^\s/@]{1,300}(?=@)")
_SECRET_OPTION = regex(rf"(?i)-{{1,2}}{_NAMES}")


def masked(text: str) -> str:
    """`text` with `***` in place of tokens, keys and passwords."""
    text = _KNOWN.sub(_MASK, text)
    text = _LOGIN.sub(rf"\g<name>{_MASK}", text)
    text = _BEARER.sub(rf"\g<name>{_MASK}", text)
    return _NAMED.sub(rf"\g<name>\g<quote>{_MASK}", text)


def masked_words(words: Iterable[str]) -> tuple[str, ...]:
    """Words of a command; the one behind `--token` is a secret however it looks."""
    found: list[str] = []
    for word in words:
        hidden = bool(found) and _SECRET_OPTION.fullmatch(found[-1]) is not None and not word.startswith("-")
        found.append(_MASK if hidden else masked(word))
    return tuple(found)


def quoted(text: str, at: int = 0) -> str:
    """The part of a line around the place that speaks."""
    safe = masked(text)
    begin = max(len(masked(text[:at])) - BEFORE, 0) if len(safe) > WIDTH else 0
    cut = safe[begin : begin + WIDTH].strip()
    return f"{'... ' if begin else ''}{cut}{' ...' if begin + WIDTH < len(safe) else ''}"
