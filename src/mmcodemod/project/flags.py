"""Command-line words and configuration values as options that keep their origin."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from mmcodemod.facts.node import Node
from mmcodemod.facts.shell import Word
from mmcodemod.facts.shellvalues import OWN_FOLDER
from mmcodemod.knowledge.hf_switches import SWITCH_FIELDS, truth
from mmcodemod.model.option import AUTO, UNKNOWN, Option, Scalar
from mmcodemod.model.pattern import regex
from mmcodemod.model.place import Place

PASSED_ON = "$@"  # the option that stands for arguments which the script passes on
MAY_STAND_IN = "further arguments may stand in "

_FLAG = regex(r"--?[A-Za-z][\w.-]*")
_INTEGER = regex(r"[-+]?\d{1,18}")
_FLOAT = regex(r"[-+]?(?:\d+\.\d*|\.\d+|\d+)(?:[eE][-+]?\d+)?")
_BOOLEANS = {"True": True, "true": True, "False": False, "false": False}
_MANY = ("$@", "$*")
_OVERRIDES = ("+", "hydra.")  # words of hydra, which no flag before them takes
# names of variables that hold several arguments
_SEVERAL = regex(
    r"\$\{?(?:\w*(?:args|arguments|opts|options|flags|params|overrides)|(?:\w*_)?(?:extra|additional|more|rest))\}?",
    re.IGNORECASE,
)
_LIST = regex(r"\$\{(?:@|\w+\[@\])")
_LEFT_OUT = regex(
    r"\.{3}|\u2026|\[--?\w.*|[\[<][\w .-]*(?:option|arg|flag|\.{3})[\w .-]*[\]>]", re.IGNORECASE
)


def place_of(path: str, word: Word) -> Place:
    """Where a word was written: in the command, or in the variable that it came through."""
    path = word.file or path
    return Place(path, *word.origin) if word.origin else Place(path, *word.at, *word.end)


def positionals(words: Sequence[Word]) -> list[Word]:
    """The words before the first flag."""
    end = next((i for i, w in enumerate(words) if w.text.startswith("-")), len(words))
    return list(words[:end])


def flag_options(words: Sequence[Word], path: str) -> dict[str, Option]:
    """`--name value...`, `--name=value` and `--name` by name; dashes inside a name become underscores."""
    options: dict[str, Option] = {}
    for flag, values in _grouped(words):
        name, equals, inline = flag.text.lstrip("-").partition("=")
        at = place_of(path, flag)
        if equals:
            options[_named(name)] = Option(coerced(inline) if is_known(flag) else UNKNOWN, at)
        else:
            options[_named(name)] = _value(flag, values, path)
    for word, note in _passed_on(words):
        options[PASSED_ON] = Option(UNKNOWN, place_of(path, word), note)
    return options


def _passed_on(words: Sequence[Word]) -> Iterator[tuple[Word, str]]:
    """The words that stand for arguments which are not written here, with a note."""
    before: Word | None = None
    flags = False  # was there one?
    for word in words:
        note = _further(word)
        if not note and _may_be_several(word) and _is_no_value(word, before, flags):
            note = f"{MAY_STAND_IN}{word.text}"
        if note:
            yield word, note
        before, flags = word, flags or word.text.startswith("-")


def _further(word: Word) -> str:
    """What a word says that stands for further arguments: `"$@"` of a script, or `...` and `[OPTIONS]` of a
    README; "" for others."""
    if word.text in _MANY and word.unknown:
        return 'arguments of the script are passed on by "$@"'
    return f"further arguments are left out by {word.text!r}" if _LEFT_OUT.fullmatch(word.text) else ""


def _may_be_several(word: Word) -> bool:
    """Is it a variable or the output of a command as a whole, which the shell splits into words?"""
    said = [p for p in word.pieces if p.text]
    whole = bool(said) and all(p.unknown and not p.quoted for p in said)
    return (whole and not is_known(word)) or (word.unknown and bool(_LIST.match(word.text)))


def _is_no_value(word: Word, before: Word | None, flags: bool) -> bool:
    """Is it neither the value of the flag before it nor an argument by its place? `flags`: was there one?"""
    if before is None or not _FLAG.fullmatch(before.text):
        return flags or bool(_SEVERAL.fullmatch(word.text))
    own = _named(before.text.lstrip("-")).lower() == word.text.strip("${}").lower()
    return bool(_SEVERAL.fullmatch(word.text) or _LIST.match(word.text)) and not own


def _grouped(words: Sequence[Word]) -> Iterator[tuple[Word, list[Word]]]:
    """Each flag with the words up to the next one."""
    flag: Word | None = None
    values: list[Word] = []
    for word in words:
        if _FLAG.fullmatch(word.text.partition("=")[0]):
            if flag is not None:
                yield flag, values
            flag, values = word, []
        elif flag is not None and _LEFT_OUT.fullmatch(word.text):
            yield flag, values
            flag, values = None, []
        elif word.text not in _MANY and not word.text.startswith(_OVERRIDES):
            values.append(word)
    if flag is not None:
        yield flag, values


def read_switches(options: dict[str, Option]) -> dict[str, Option]:
    """Flags of transformers that are true or false, as its parser reads the words behind them."""
    found = {n: (o, truth(o.value)) for n, o in options.items() if n in SWITCH_FIELDS and o.known}
    return {**options, **{n: Option(t, o.at, o.note) for n, (o, t) in found.items() if t is not None}}


def _named(flag: str) -> str:
    return flag.replace("-", "_")


def _value(flag: Word, values: list[Word], path: str) -> Option:
    """The value keeps the place of the word that holds it; the flag's own when both are in the command."""
    if not values:
        return Option(True, place_of(path, flag))
    first = values[0]
    at = place_of(path, first) if first.origin else _span(path, flag, first)
    if not all(map(is_known, values)):
        return Option(UNKNOWN, at, first.text if len(values) == 1 else "")
    return Option(coerced(first.text) if len(values) == 1 else " ".join(v.text for v in values), at)


def is_known(word: Word) -> bool:
    """Is the text known, if only as a path from the folder of the script?"""
    loose = [p.text for p in word.pieces if p.unknown]
    return not word.unknown or (bool(loose) and all(_from_own_folder(text) for text in loose))


def _from_own_folder(text: str) -> bool:
    return text.startswith(OWN_FOLDER) and "$" not in text[len(OWN_FOLDER) :]


def _span(path: str, flag: Word, value: Word) -> Place:
    return place_of(path, flag) if flag.origin else Place(path, *flag.at, *value.end)


def coerced(text: str) -> Scalar:
    """The Python value that a command-line word stands for."""
    if text in _BOOLEANS:
        return _BOOLEANS[text]
    if _INTEGER.fullmatch(text):
        return int(text)
    return float(text) if len(text) < 40 and _FLOAT.fullmatch(text) else text


def node_options(node: Node, path: str, prefix: str = "") -> dict[str, Option]:
    """Every scalar below `node` by dotted key; a list of scalars is one comma-separated text."""
    return {
        prefix + key: node_option(m.node, member_place(path, m.key_start, m.node)) for key, m in node.leaves()
    }


def deepspeed_options(node: Node, path: str) -> dict[str, Option]:
    """`deepspeed.zero_optimization.stage` and so on; "auto" is AUTO."""
    found = node_options(node, path, "deepspeed.")
    return {k: Option(AUTO, o.at) if o.value == "auto" else o for k, o in found.items()}


def node_option(node: Node, at: Place) -> Option:
    if node.kind == "array":
        scalars = [str(i.value) for i in node.items if i.kind not in ("object", "array")]
        return (
            Option(", ".join(scalars), at, "list")
            if len(scalars) == len(node.items)
            else Option(UNKNOWN, at, "list")
        )
    return Option(node.value, at)


def member_place(path: str, start: tuple[int, int], node: Node) -> Place:
    return Place(path, *start, *node.end)
