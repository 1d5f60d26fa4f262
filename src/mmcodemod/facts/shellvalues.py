"""Values of shell variables as pieces of text that know where they were written, and their expansion."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable
from dataclasses import field, replace

from mmcodemod.facts.lines import LineMap, Position
from mmcodemod.facts.shellwords import Segment, Token, tokens
from mmcodemod.model.frozen import frozen, mutable
from mmcodemod.model.pattern import regex

MAX_VALUE = 100_000  # characters of one value
MAX_TOTAL = 300_000  # characters of all expansions of one script

_BLANKS = regex(r"\s+|\S+")
_SCRIPT = r'"?\$\{?(?:0|BASH_SOURCE(?:\[0\])?)\}?"?'  # "$0"
_FULL = r"\$\((?:realpath|readlink\s+-[a-z]+)\s+(?:--\s+)?"
_FOLDER = rf'\$\(dirname\s+(?:--\s+)?(?:"?{_FULL}{_SCRIPT}\s*\)"?|{_SCRIPT})\s*\)'
_PWD = r"(?:\s*>\s*/dev/null(?:\s*2>&1)?)?\s*(?:&&|;)\s*pwd(?:\s+-P)?\s*\)"
_CD = r"\$\(cd\s+(?:-P\s+)?(?:--\s+)?"
_OWN_FOLDER = regex(rf'{_FOLDER}|{_CD}"?{_FOLDER}"?{_PWD}|{_FULL}"?{_FOLDER}"?\s*\)')
_ABOVE = regex(rf'\$\(dirname\s+(?:--\s+)?"?(?:{_FOLDER}|{_CD}"?{_FOLDER}"?{_PWD})"?\s*\)')
_FULL_PATH = regex(
    rf'{_CD}(?P<folder>"?{_FOLDER}[^&;|()]+?|[^&;|()]+?){_PWD}|{_FULL}(?P<path>"?{_FOLDER}[^&;|()]+?|[^&;|()]+?)\s*\)'
)
OWN_FOLDER = '$(dirname "$0")'  # how every spelling of "the folder of this script" appears in a word


@frozen(slots=True)
class Word:
    """A word of a command. `origin`: where its text was written when it came through a variable; `pieces`:
    where each stretch of it was; `file`: the path of the file that `origin` (without one `at`) means, "" for
    the script itself."""

    text: str
    at: Position
    end: Position
    unknown: bool = False
    origin: Position | None = None
    pieces: tuple[Piece, ...] = field(default=(), compare=False, repr=False)
    file: str = ""

    @property
    def default(self) -> str | None:
        """What an unknown word is unless somebody says otherwise; None where that does not show."""
        said = [p for p in self.pieces if p.text]
        return said[0].default if len(said) == 1 else None


@frozen(slots=True)
class Piece:
    """A stretch of text without escapes: its characters stand side by side from `at` on, in the sourced
    file `file` ("": in the script itself). `default`: what an unknown one is unless told otherwise."""

    text: str
    at: Position
    unknown: bool = False
    quoted: bool = False
    through_variable: bool = False
    file: str = ""
    default: str | None = None


_BLANK = Piece(" ", (0, 0))
Arguments = tuple[tuple[Piece, ...], ...]  # the pieces of each


@frozen(slots=True)
class Value:
    """A scalar has one field; an array one for each element."""

    fields: tuple[tuple[Piece, ...], ...]

    @staticmethod
    def of(text: str, at: Position) -> Value:
        return Value(((Piece(text, at),),))

    @property
    def is_empty(self) -> bool:
        """Is it known to be no text at all?"""
        return not any(p.text for pieces in self.fields for p in pieces)

    @property
    def known(self) -> str | None:
        """The text of a scalar, None where some of it is unknown."""
        pieces = self.fields[0] if len(self.fields) == 1 else ()
        return None if not pieces or any(p.unknown for p in pieces) else "".join(p.text for p in pieces)

    def defaulted(self, default: str | None) -> Value:
        """`${NAME:-default}` of it: what an unknown one then is unless somebody says otherwise."""
        said = [p for p in self.fields[0] if p.text] if len(self.fields) == 1 else []
        if default is None or len(said) != 1 or not said[0].unknown:
            return self
        return Value(((replace(said[0], default=default),),))

    @property
    def size(self) -> int:
        return sum(len(p.text) + 1 for pieces in self.fields for p in pieces)

    def lengthened(self, other: Value) -> Value:
        """`NAME+=other`: what is appended to a text, or to the first element of an array."""
        first, *more = self.fields or ((),)
        return Value((first + other.fields[0], *more))

    def extended(self, other: Value) -> Value:
        """`NAME+=(other)`: the elements behind those of an array."""
        return Value(tuple(f for f in self.fields if f) + other.fields)

    def word(self, token: Token, file: str = "") -> Word:
        """The word that an assignment in `file` makes of it."""
        return _word([p for pieces in self.fields[:1] for p in pieces], token, file)


EMPTY = Value(((),))
NOTHING = Value(())  # an array without elements


def unknown_value(name: str, default: str | None = None) -> Value:
    return Value(((Piece(f"${name}", (0, 0), unknown=True, default=default),),))


LOST: Arguments = ((Piece("$@", (0, 0), unknown=True),),)
"""The arguments where nobody knows how many there are, and the script has changed them."""


def arguments(words: Iterable[Word]) -> Arguments:
    """What `$1` and so on are when these words are given: LOST when one may be several or none."""
    found = tuple(word.pieces for word in words)
    sure = all(p.quoted and p.text not in ("$@", "$*") for pieces in found for p in pieces if p.unknown)
    return found if sure else LOST


def either(one: Value | None, other: Value | None, name: str) -> Value:
    """What is sure of a variable that has one of two values: the words, or elements of an array, with which
    both begin and end; nobody knows what stands between."""
    if one is None or other is None:
        return unknown_value(name)
    scalar = len(one.fields) == len(other.fields) == 1
    first, second = (_separated(v) if scalar else [f for f in v.fields if f] for v in (one, other))
    begin = _alike(first, second)
    if begin == len(first) == len(second):
        return one
    ends = _alike(first[begin:][::-1], second[begin:][::-1])
    if not begin and not ends:
        return unknown_value(name)
    between = unknown_value(name).fields[0]
    begun, ended = first[:begin], first[len(first) - ends :]
    begun = begun[:-1] if begun and begun[-1] == between else begun
    parts = [*begun, between, *(ended[1:] if ended and ended[0] == between else ended)]
    return Value((_spaced(parts),) if scalar else tuple(parts))


def _separated(value: Value) -> list[tuple[Piece, ...]]:
    """The words of a text."""
    fields: list[list[Piece]] = [[]]
    _split_into(fields, list(value.fields[0]))
    return [tuple(f) for f in fields if f]


def _spaced(words: list[tuple[Piece, ...]]) -> tuple[Piece, ...]:
    return tuple(p for n, pieces in enumerate(words) for p in ((_BLANK,) if n else ()) + pieces)


def _alike(one: list[tuple[Piece, ...]], other: list[tuple[Piece, ...]]) -> int:
    """With how many words both begin."""
    texts = ([[(p.text, p.unknown) for p in word if p.text] for word in words] for words in (one, other))
    return next((n for n, (a, b) in enumerate(zip(*texts)) if a != b), min(len(one), len(other)))


@mutable()
class Expander:
    """The variables known so far, and the budget for expanding them. `file`: the sourced file that is being
    read, "" for the script; `arguments`: `$1` and so on, None when nobody knows them."""

    variables: dict[str, Value] = field(default_factory=dict)
    left: int = MAX_TOTAL
    file: str = ""
    arguments: Arguments | None = None

    def assign(self, name: str, value: Value) -> None:
        self.variables[name] = value if value.size <= MAX_VALUE else unknown_value(name)

    def value(self, token: Token, skip: int) -> Value:
        """The value of the assignment `token`, whose `NAME=` has `skip` characters."""
        if token.elements is not None:
            fields = [f for element in token.elements for f in self._fields(element.segments, split=True)]
            return Value(tuple(tuple(f) for f in fields if f))
        first, *rest = token.segments
        line, column = first.at
        start = Segment("text", first.text[skip:], (line, column + skip), first.quoted)
        fields = self._fields((start, *rest), split=False)
        return Value((tuple(p for pieces in fields for p in pieces),))

    def words(self, token: Token) -> list[Word]:
        """The words that a word of a command expands to: none for an unquoted empty variable."""
        if self._vanishes(token):
            return []
        fields = self._fields(token.segments, split=True)
        return [_word(pieces, token, self.file) for pieces in fields if pieces]

    def _vanishes(self, token: Token) -> bool:
        """`"${A[@]}"` of an array without elements is no word, in spite of its quotes."""
        parts = [s for s in token.segments if s.kind != "text" or s.text]
        return bool(parts) and all(s.every and self._known(s.text) == NOTHING for s in parts)

    def _known(self, name: str) -> Value | None:
        if name not in ("@", "#") and not name.isdigit():
            return self.variables.get(name)
        if self.arguments is None or name == "0":
            return None
        if self.arguments is LOST:
            return unknown_value(name)
        if name.isdigit():
            number = int(name[:9]) - 1
            return Value(self.arguments[number : number + 1]) if number < len(self.arguments) else EMPTY
        return Value(self.arguments) if name == "@" else Value.of(str(len(self.arguments)), (0, 0))

    def _fields(self, segments: tuple[Segment, ...], split: bool) -> list[list[Piece]]:
        fields: list[list[Piece]] = [[]]
        for segment in segments:
            pieces = self._expand(segment)
            for number, group in enumerate(pieces):
                if number and split:
                    fields.append([])
                elif number:
                    fields[-1].append(_BLANK)
                if split and not segment.quoted and segment.kind == "var":
                    _split_into(fields, group)
                else:
                    fields[-1].extend(group)
        return fields

    def _expand(self, segment: Segment) -> list[list[Piece]]:
        """The fields of a segment; more than one only for `${ARRAY[@]}`."""
        if segment.kind == "text":
            return [[Piece(segment.text, segment.at, quoted=segment.quoted, file=self.file)]]
        if segment.kind == "unknown":
            return [[self._unknown(self._recognised(segment.text), segment)]]
        known = self._known(segment.text)
        if known is None or (segment.default is not None and known.is_empty and not segment.unset):
            return [self._missing(segment)]
        if segment.default is not None and not segment.unset:
            known = known.defaulted(Value((tuple(self._missing(segment)),)).known)
        self.left -= known.size
        if self.left < 0:
            return [[self._unknown(f"${segment.text}", segment)]]
        fields = (_joined(known),) if segment.joined else known.fields
        fields = fields if segment.every else fields[:1]
        sure = segment.quoted and not segment.every  # else an unknown one may be several words
        return [[_through(p, sure if p.unknown else segment.quoted) for p in pieces] for pieces in fields]

    def _unknown(self, text: str, segment: Segment) -> Piece:
        quoted = segment.quoted and not segment.every
        return Piece(text, segment.at, True, quoted, file=self.file)

    def _recognised(self, source: str) -> str:
        """The text of a substitution; the usual ways to name a folder below the script's own are read. In a
        sourced file `$0` is still the script, and BASH_SOURCE the file."""
        if len(source) > 300:
            return source
        if _OWN_FOLDER.fullmatch(source):
            own = self.file and "BASH_SOURCE" in source
            return (posixpath.dirname(self.file) or ".") if own else OWN_FOLDER
        if _ABOVE.fullmatch(source) and not self.file:
            return f"{OWN_FOLDER}/.."
        found = _FULL_PATH.fullmatch(source)
        named = tokens(found["folder"] or found["path"]) if found else ()
        inner = [w for t in named if t.kind == "word" for w in self.words(t)]
        return inner[0].text if len(inner) == 1 and inner[0].text.startswith(OWN_FOLDER) else source

    def _missing(self, segment: Segment) -> list[Piece]:
        if segment.default is None or segment.text == "@":
            return [self._unknown(f"${segment.text}", segment)]
        return [p for s in segment.default for pieces in self._expand(s) for p in pieces]


def _through(piece: Piece, quoted: bool) -> Piece:
    """The piece as it comes out of a variable."""
    if piece.through_variable and piece.quoted == quoted:
        return piece
    return Piece(piece.text, piece.at, piece.unknown, quoted, piece.at != (0, 0), piece.file, piece.default)


def _joined(value: Value) -> tuple[Piece, ...]:
    """`"${NAME[*]}"`: all elements in one text."""
    return _spaced(list(value.fields))


def _split_into(fields: list[list[Piece]], pieces: list[Piece]) -> None:
    """Append pieces, beginning a new field wherever white space separates words."""
    for piece in pieces:
        if piece.unknown:
            fields[-1].append(piece)
            continue
        lines = LineMap(piece.text)
        for found in _BLANKS.finditer(piece.text):
            if not found.group().isspace():
                at = _shifted(piece.at, lines.position(found.start()))
                fields[-1].append(replace(piece, text=found.group(), at=at, quoted=False))
            elif fields[-1]:
                fields.append([])


def _shifted(base: Position, inner: Position) -> Position:
    """The position in the file of a position inside a piece."""
    if base == (0, 0):
        return base
    return (base[0], base[1] + inner[1] - 1) if inner[0] == 1 else (base[0] + inner[0] - 1, inner[1])


def _word(pieces: list[Piece], token: Token, file: str) -> Word:
    text = "".join(p.text for p in pieces)
    first = next((p for p in pieces if p.through_variable), None)
    origin, file = (first.at, first.file) if first else (None, file)
    return Word(text, token.at, token.end, any(p.unknown for p in pieces), origin, tuple(pieces), file)
