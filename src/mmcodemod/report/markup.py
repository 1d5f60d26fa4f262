"""Text of the analysed repository inside Markdown: it is shown and never means anything.

Forges turn much of a plain text into links and notifications (`@name`, `#12`, `!12`, `~label`, host names,
object names of git, lines that begin with `/`), each forge something else. None of them looks into code. So
a word stays plain only when it is made of letters, digits and harmless marks; all else becomes code.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from mmcodemod.model.frozen import frozen
from mmcodemod.model.pattern import regex
from mmcodemod.report.escape import storable, visible, visible_lines

ELLIPSIS = "…"
_PIECE = regex(r"(\s+)|(?<!`)(`+)(?!`)(.+?)(?<!`)\2(?!`)|([^\s`]+|`)", re.DOTALL)
_EDGES = regex(r"""([("'“‘]*)(.*?)([)"'”’.,;:?]*)""", re.DOTALL)
_MARKS = frozenset("'\"’“”().,;:?+=-–—…×→·")
_LINKED = regex(r"(?i:www\.|[0-9a-f]{7,}\b|\bgh-\d)|\b[A-Z][A-Z0-9]+-\d")
_NUMBER = regex(r"\d+[.)]")
_ACTIVE = regex(r"[&<>\\`*\[\]|~$]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|(?<=\bwww)\.|:(?=//)")
_GAP = "\u200b"  # ZERO WIDTH SPACE


def clipped(text: str, most: int) -> str:
    """At most `most` characters, the last an ellipsis when something is left out."""
    return text if len(text) <= most else text[: most - 1] + ELLIPSIS


def code(text: str) -> str:
    """An inline code span of one line; nothing for no text."""
    safe = storable(visible(" ".join(text.split())))
    if not safe:
        return ""
    marks = "`" * (_longest_run(safe) + 1)
    room = " " if safe[0] == "`" or safe[-1] == "`" else ""
    return f"{marks}{room}{safe}{room}{marks}"


def element(text: str) -> str:
    """The same as an element of HTML, for the cells of a table and for titles. What means something to
    Markdown is a numeric entity, which CommonMark never takes for markup; an address of mail would become a
    link even there."""
    shown = re.sub(r"(?<=\w)@(?=\w)", f"@{_GAP}", storable(visible(" ".join(text.split()))))
    return f"<code>{_ACTIVE.sub(lambda found: f'&#{ord(found[0])};', shown)}</code>"


def prose(text: str, form: Callable[[str], str] = code) -> str:
    """A sentence on one line: what it quotes between backticks, and each word that a forge could make
    something of, is code, in this form. Such words in a row are one piece of code."""
    out: list[_Word] = []
    for parts in _words(text.strip()):
        word = _word(parts, first=not out)
        if out and (joined := out[-1].joined(word)):
            out[-1] = joined
        else:
            out.append(word)
    return " ".join(word.shown(form) for word in out)


@frozen(slots=True)
class _Word:
    """Marks before, the code, marks after; a plain word has no code. `quoted`: by the text itself."""

    before: str
    code: str
    after: str = ""
    quoted: bool = False

    def shown(self, form: Callable[[str], str]) -> str:
        return f"{self.before}{form(self.code) if self.code else ''}{self.after}"

    def joined(self, other: _Word) -> _Word | None:
        """Both as one piece of code; None when they are not to be one."""
        apart = self.quoted or other.quoted or other.before or self.after not in ("", ",")
        whole = f"{self.code}{self.after} {other.code}"
        return None if apart or not (self.code and other.code) else _balanced(self.before, whole, other.after)


def fenced(text: str, info: str = "") -> str:
    """A block of code that no text within can close."""
    fence = "`" * max(3, _longest_run(text) + 1)
    body = storable(visible_lines(text))
    return f"{fence}{info}\n{body}{'' if not body or body.endswith(chr(10)) else chr(10)}{fence}"


def details(title: str, body: str) -> str:
    """A block that opens on a click. `title` is our own text."""
    return f"<details><summary>{title}</summary>\n\n{body}\n\n</details>"


def _longest_run(text: str) -> int:
    return max((len(run) for run in re.findall("`+", text)), default=0)


def _words(text: str) -> Iterable[list[tuple[str, bool]]]:
    """The words, each as its parts; a part that stood between backticks is code."""
    word: list[tuple[str, bool]] = []
    for space, _, quoted, plain in _PIECE.findall(text):
        if space and word:
            yield word
            word = []
        elif quoted or plain:
            word.append((quoted or plain, bool(quoted)))
    if word:
        yield word


def _word(parts: list[tuple[str, bool]], first: bool) -> _Word:
    """Pieces of code never touch each other: what is left between marks becomes one."""
    whole = "".join(text for text, _ in parts)
    if any(is_code for _, is_code in parts):
        before = "" if parts[0][1] else _trimmed(parts[0][0])[0]
        after = "" if parts[-1][1] else _trimmed(parts[-1][0])[2]
        return _Word(before, whole[len(before) : len(whole) - len(after)], after, quoted=True)
    if _harmless(whole, first):
        return _Word(whole, "")
    before, middle, after = _trimmed(whole)
    return _balanced(before, middle, after) if middle else _Word("", whole)


def _balanced(before: str, middle: str, after: str) -> _Word:
    """A parenthesis that the code opens is closed in it, and quotes around it are part of it."""
    if before.endswith('"') and after.startswith('"'):
        before, middle, after = before[:-1], f'"{middle}"', after[1:]
    while middle.count("(") > middle.count(")") and ")" in after:
        taken, _, after = after.partition(")")
        middle += taken + ")"
    return _Word(before, middle, after)


def _trimmed(whole: str) -> tuple[str, str, str]:
    """Marks before, the word, marks after."""
    found = _EDGES.fullmatch(whole)
    return (found[1], found[2], found[3]) if found else ("", whole, "")


def _harmless(word: str, first: bool) -> bool:
    """May it stand as it is? A first word could also begin a list, a heading or a command."""
    if not all(mark.isalnum() or mark in _MARKS for mark in word) or _LINKED.search(word):
        return False
    if ":" in word[:-1]:
        return False
    return not first or (word[0].isalnum() and not _NUMBER.match(word))
