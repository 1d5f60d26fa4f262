"""`mmcodemod contexts [PATH]`."""

from __future__ import annotations

from dataclasses import replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import click

from mmcodemod.cli.console import columns, emit, note
from mmcodemod.cli.options import Failure, given, running_options

if TYPE_CHECKING:
    from mmcodemod.model.report import Report
    from mmcodemod.source.tree import Tree


@click.command()
@click.argument("path", type=click.Path(), default=".")
@click.option("--format", type=click.Choice(("text", "json")), default="text", show_default=True)
@click.option("--config", type=click.Path(dir_okay=False), metavar="FILE", help="Read this configuration.")
@click.option("--explain", metavar="KEY", help=(
    "Show why: the places that lead to the value of KEY: strategy, an option as in --format json, "
    "or version:PACKAGE."
))  # fmt: skip
@click.option("--output", type=click.Path(dir_okay=False), metavar="FILE", help="Write the list to a file.")
@running_options
def contexts(
    path: str, format: str, config: str | None, explain: str | None, output: str | None, **running: Any
) -> int:
    """Show in which ways the tree is trained: entry, launch command, strategy, versions."""
    from mmcodemod import pipeline
    from mmcodemod.cli import session as sessions
    from mmcodemod.report.text import problem_lines

    values = {"paths": (path,), "config": config, "format": format, "output": output, **running}
    session = sessions.start(given(values))
    with sessions.watched(session.discovered.tree) as tree:
        report = pipeline.check(tree, session.settings)
    report = replace(report, problems=sessions.all_problems(session.discovered, report.problems))
    emit(_rendered(report, session.discovered.tree, format, explain), output)
    if format == "text":
        note(*problem_lines(report.problems))
    return sessions.exit_code(session, (), report.problems)


def _rendered(report: Report, tree: Tree, format: str, explain: str | None) -> str:
    from mmcodemod.report import contexts as listed
    from mmcodemod.report import explained

    if explain is None:
        return listed.render_json(report) if format == "json" else listed.render(report, columns())
    known = explained.keys(report)
    if explain not in known:
        similar = ", ".join(get_close_matches(explain, known, 5)) or "--format json shows all"
        raise Failure(f"no context has {explain!r}; similar: {similar}")
    if format == "json":
        return explained.render_json(report, explain)
    return explained.render(report, tree, explain)
