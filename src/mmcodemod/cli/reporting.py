"""Renders the report of a check, and what a review says, in the format that the user chose."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from mmcodemod.cli.console import columns, palette
from mmcodemod.report.formats import FORMATS, About, Extra

if TYPE_CHECKING:
    from mmcodemod.cli.options import Options
    from mmcodemod.cli.session import Session
    from mmcodemod.model.change import Review
    from mmcodemod.model.grade import Severity
    from mmcodemod.model.report import Report
    from mmcodemod.pipeline import Settings
    from mmcodemod.review.run import Judging
    from mmcodemod.source.tree import Tree


def rendered(session: Session, report: Report, seconds: float) -> str:
    """The report as text. `seconds` is what the check took."""
    options = session.options
    if options.format == "text" and options.statistics:
        from mmcodemod.report.text import statistics

        return statistics(report.findings, session.names)
    if options.format == "text" and session.empty and not options.quiet:
        return f"nothing to check: no Python, configuration or launch script in {session.discovered.root}\n"
    return FORMATS[options.format](report, session.discovered.tree, session.names, _extra(session, seconds))


def _extra(session: Session, seconds: float) -> Extra:
    from mmcodemod.model.grade import Severity
    from mmcodemod.report.text import Style
    from mmcodemod.source.repository import folder_in_repository

    options = session.options
    return Extra(
        Style(
            palette(options.color, options.output),
            columns(),
            options.show_dismissed,
            seconds,
            summary=not options.quiet,
            notes=options.verbose or session.fail_on is Severity.INFO,
            shows_known=_shows_known(session),
        ),
        options.profile,
        folder_in_repository(session.discovered.root),
        session.fail_on.value,
        session.discovered.root.name,
        partial(_about, session.settings),
        strict=options.strict,
    )


def _shows_known(session: Session) -> str:
    """The command that shows what the baseline leaves out; empty without one, or with another revision."""
    from mmcodemod.cli import known

    file = known.file_of(session)
    if file is None or session.options.diff_base:
        return ""
    default = session.configuration.baseline or known.DEFAULT
    here = Path(session.configuration.path or session.discovered.root / "-").parent
    named = "" if file == (here / default).resolve() else f" --baseline {shlex.quote(known.shown(file))}"
    return f"mmcodemod baseline --show{named}"


def reviewed(review: Review, tree: Tree, judging: Judging, options: Options, fail_on: Severity) -> str:
    """A review as text, the findings that it tells in the formats of a check. `tree` is the new version."""
    from mmcodemod.report.text import Style

    style = Style(palette(options.color, options.output), columns(), summary=not options.quiet)
    if options.format == "text":
        from mmcodemod.report.review import render

        return render(review, tree, judging.names, style)
    if options.format == "json":
        from mmcodemod.report import review_json

        return review_json.render(review, judging.names)
    from mmcodemod.report.brought import brought

    if options.format == "markdown":
        from mmcodemod.report import markdown
        from mmcodemod.report.review import summary

        return markdown.render(brought(review), tree, judging.names, review.folder, summary(review, "`"))
    rules = partial(_about, judging.settings)
    extra = Extra(
        style, folder=review.folder, fail_on=fail_on.value, title="review", rules=rules, strict=options.strict
    )
    return FORMATS[options.format](brought(review), tree, judging.names, extra)


def _about(settings: Settings) -> Sequence[About]:
    """The rules that a run with these settings selects. Imports them."""
    from mmcodemod.engine.builtin import BUILTIN
    from mmcodemod.engine.registry import rule_page, rules

    extra = settings.codemods
    found = [
        About(r.code, r.name, r.summary, r.family, r.severity.value, rule_page(r, extra))
        for r in rules(extra)
        if settings.selects(r.code)
    ]
    return [*found, *(About(b.code, b.name, b.summary, page=b.page) for b in BUILTIN)]
