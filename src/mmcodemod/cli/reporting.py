"""Renders the report of a check in the format that the user chose."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from mmcodemod.cli.console import columns, palette
from mmcodemod.report.formats import FORMATS, About, Extra

if TYPE_CHECKING:
    from mmcodemod.cli.session import Session
    from mmcodemod.model.report import Report


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
        ),
        options.profile,
        folder_in_repository(session.discovered.root),
        session.fail_on.value,
        session.discovered.root.name,
        lambda: _about(session),
    )


def _about(session: Session) -> Sequence[About]:
    """The rules that this run selects. Imports them."""
    from mmcodemod.engine.builtin import BUILTIN
    from mmcodemod.engine.registry import rule_page, rules

    extra = session.settings.codemods
    found = [
        About(r.code, r.name, r.summary, r.family, r.severity.value, rule_page(r, extra))
        for r in rules(extra)
        if session.settings.selects(r.code)
    ]
    return [*found, *(About(b.code, b.name, b.summary, page=b.page) for b in BUILTIN)]
