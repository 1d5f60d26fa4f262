"""Text of the analysed repository inside Markdown: it is shown, and does nothing.

What means something to Markdown is written as a numeric entity, which CommonMark never takes for markup; the
bar of a table's cell and the angle of HTML are among it. A forge looks for `@name`, `#12` and bare addresses
after that, in the text that is left, though not in code: there a character without width breaks them.
"""

from __future__ import annotations

import re

from mmcodemod.report.escape import visible

_GAP = "\u200b"  # ZERO WIDTH SPACE
_MARKS = re.compile(
    r"[&<>\\`*\[\]|~$]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|(?<=\bwww)\.|:(?=//)|^[-+=#]|(?<=^\d)[.)]|(?<=^\d\d)[.)]"
)
_LIVE = re.compile(r"""[@#!%&~$](?=[\w"'])|:(?=//)|\bwww(?=\.)|\bGH(?=-\d)""")


def prose(text: str) -> str:
    """One line of text. What stands between backticks is shown as code, all else literally."""
    parts = visible(" ".join(text.split())).split("`")
    if len(parts) % 2 == 0:  # the last backtick has no partner
        parts[-2:] = ["`".join(parts[-2:])]
    return "".join(code(part) if at % 2 else _literal(part) for at, part in enumerate(parts) if part)


def code(text: str) -> str:
    """A span of code that shows exactly this text (an address in it would become a link even there)."""
    shown = re.sub(r"(?<=\w)@(?=\w)", f"@{_GAP}", visible(" ".join(text.split())))
    return f"<code>{_inert(shown)}</code>"


def fenced(lines: list[str], language: str = "") -> str:
    """A block of code; no line of it can end the block."""
    longest = max((len(run) for line in lines for run in re.findall("`+", line)), default=0)
    fence = "`" * max(longest + 1, 3)
    return "\n".join([fence + language, *lines, fence])


def _literal(text: str) -> str:
    return _inert(_LIVE.sub(lambda found: found[0] + _GAP, text))


def _inert(text: str) -> str:
    return _MARKS.sub(lambda found: f"&#{ord(found[0])};", text)
