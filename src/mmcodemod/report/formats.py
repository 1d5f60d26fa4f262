"""The formats of a report: a name and what renders it, imported when it is used and not before."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from mmcodemod.model.frozen import frozen

if TYPE_CHECKING:
    from mmcodemod.model.report import Report
    from mmcodemod.report.text import Style
    from mmcodemod.source.tree import Tree


@frozen()
class About:
    """What a rule says of itself, for reports that explain their rules. `severity`: the word of the highest
    that the rule may reach; `page` is Markdown, "" when the rule has none."""

    code: str
    name: str
    summary: str
    family: str = "mmcodemod"
    severity: str = "warning"
    page: str = ""


@frozen()
class Extra:
    """What some formats need besides the report. `folder`: the checked folder relative to the top of its
    repository ("" at the top), because forges place findings by paths from there. `fail_on`: the word of the
    lowest severity that fails. `title`: the name of what was checked. `rules` says what all rules that ran
    are about; it is called when needed. `strict`: damaged files fail as well."""

    style: Style | None = None
    profile: bool = False
    folder: str = ""
    fail_on: str = "warning"
    title: str = ""
    rules: Callable[[], Sequence[About]] = tuple
    strict: bool = False


Names = Mapping[str, str]
Renderer = Callable[["Report", "Tree", Names, Extra], str]
"""A report, the tree that it is of, code -> name of all rules, and the rest."""


def _text(report: Report, tree: Tree, names: Names, extra: Extra) -> str:
    from mmcodemod.report import text

    return text.render(report, tree, names, extra.style or text.Style())


def _json(report: Report, tree: Tree, names: Names, extra: Extra) -> str:
    from mmcodemod.report import json

    return json.render(report, names, extra.profile)


def _sarif(report: Report, tree: Tree, names: Names, extra: Extra) -> str:
    from mmcodemod.report import sarif

    return sarif.render(report, names, extra.folder, extra.rules())


def _github(report: Report, tree: Tree, names: Names, extra: Extra) -> str:
    from mmcodemod.report import github

    return github.render(report, names, extra.folder, extra.strict)


def _gitlab(report: Report, tree: Tree, names: Names, extra: Extra) -> str:
    from mmcodemod.report import gitlab

    return gitlab.render(report, names, extra.folder)


def _rdjson(report: Report, tree: Tree, names: Names, extra: Extra) -> str:
    from mmcodemod.report import rdjson

    return rdjson.render(report, tree, names, extra.folder)


def _junit(report: Report, tree: Tree, names: Names, extra: Extra) -> str:
    from mmcodemod.report import junit

    return junit.render(report, names, extra.folder, extra.fail_on)


def _markdown(report: Report, tree: Tree, names: Names, extra: Extra) -> str:
    from mmcodemod.report import markdown

    return markdown.render(report, tree, names, extra.folder)


def _html(report: Report, tree: Tree, names: Names, extra: Extra) -> str:
    from mmcodemod.report.page import html

    pages = {rule.code: rule.page for rule in extra.rules()}
    return html.render(report, tree, names, pages, extra.title)


FORMATS: dict[str, Renderer] = {
    "text": _text,
    "json": _json,
    "sarif": _sarif,
    "github": _github,
    "gitlab": _gitlab,
    "rdjson": _rdjson,
    "junit": _junit,
    "markdown": _markdown,
    "html": _html,
}

SILENT_ON_PROBLEMS = frozenset(("text", "gitlab", "rdjson"))
"""Formats that have no place for files that could not be analysed: those go to standard error."""
