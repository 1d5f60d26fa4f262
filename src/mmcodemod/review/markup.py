"""Text of the analysed repository inside the comments of a forge: it is shown and never means anything.

Forges turn much of a plain text into links and notifications (`@name`, `#12`, `!12`, `~label`, host names,
object names of git, lines that begin with `/`), each forge something else. None of them looks into code. So
a word stays plain only when it is made of letters, digits and harmless marks; all else becomes code.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from mmcodemod.report.escape import storable, visible, visible_lines

ELLIPSIS = "…"
_PIECE = re.compile(r"(\s+)|`([^`]+)`|([^\s`]+|`)")
_EDGES = re.compile(r"""([("'“‘]*)(.*?)([)"'”’.,;:?]*)""", re.DOTALL)
_MARKS = frozenset("'\"’“”().,;:?+=-–—…×→·")
_LINKED = re.compile(r"(?i)www\.|[0-9a-f]{7,}\b|[a-z]+-\d")
_NUMBER = re.compile(r"\d+[.)]")


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


def prose(text: str) -> str:
    """A sentence on one line: what it quotes between backticks, and each word that a forge could make
    something of, is code."""
    out: list[str] = []
    for word in _words(text.strip()):
        out.append(_shown(word, first=not out))
    return " ".join(out)


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
    for space, quoted, plain in _PIECE.findall(text):
        if space and word:
            yield word
            word = []
        elif quoted or plain:
            word.append((quoted or plain, bool(quoted)))
    if word:
        yield word


def _shown(word: list[tuple[str, bool]], first: bool) -> str:
    """One word. Code spans never touch each other: what is left between marks becomes one span."""
    whole = "".join(text for text, _ in word)
    quoted = any(is_code for _, is_code in word)
    before, middle, after = _split(word, whole) if quoted else _trimmed(whole)
    if not quoted and _harmless(whole, first):
        return whole
    if not middle:
        return code(whole)
    return f"{before}{code(middle)}{after}"


def _trimmed(whole: str) -> tuple[str, str, str]:
    """Marks before, the word, marks after."""
    found = _EDGES.fullmatch(whole)
    return (found[1], found[2], found[3]) if found else ("", whole, "")


def _split(word: list[tuple[str, bool]], whole: str) -> tuple[str, str, str]:
    """The same for a word with a quoted part: marks outside the quotes alone are outside the code."""
    before = "" if word[0][1] else _trimmed(word[0][0])[0]
    after = "" if word[-1][1] else _trailing(word[-1][0])
    return before, whole[len(before) : len(whole) - len(after)], after


def _trailing(text: str) -> str:
    return _trimmed(text)[2]


def _harmless(word: str, first: bool) -> bool:
    """May it stand as it is? A first word could also begin a list, a heading or a command."""
    if not all(mark.isalnum() or mark in _MARKS for mark in word) or _LINKED.search(word):
        return False
    if ":" in word[:-1]:
        return False
    return not first or (word[0].isalnum() and not _NUMBER.match(word))
