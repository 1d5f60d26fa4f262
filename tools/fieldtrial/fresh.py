"""Trees that mmcodemod was developed on are not judged: the page of a rule names those its author saw."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from fieldtrial.data import DataError, Tree
from fieldtrial.draw import Checked

PAGES = Path(__file__).parents[2] / "codemods"


def must_be_fresh(
    number: int, checked: Sequence[Checked], earlier: Sequence[Tree], pages: Path = PAGES
) -> None:
    """Raises:
    DataError: with every tree that an earlier round had, or that a page names.
    """
    had = {tree.repository.lower(): tree.round for tree in earlier if tree.round != number}
    rounds = ((one.repository, had.get(one.repository.lower())) for one in checked)
    mistakes = [f"{name}: round {before} had it" for name, before in rounds if before]
    texts = {page.parent.name: page.read_text(encoding="utf-8") for page in sorted(pages.glob("*/rule.md"))}
    for one in checked:
        slugs = [slug for slug, text in texts.items() if _names(text, one.repository)]
        mistakes += [f"{one.repository}: the page of {slugs[0]} names it"] if slugs else []
    if mistakes:
        raise DataError("\n".join(mistakes))


def _names(text: str, repository: str) -> bool:
    """By its name alone where that is no ordinary word, else with its owner."""
    name = repository.partition("/")[2]
    name = repository if name.islower() and name.isalpha() else name
    return re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text) is not None
