"""`mmcodemod contexts [PATH]`."""

from __future__ import annotations

import sys
from dataclasses import replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import click

from mmcodemod.cli.console import columns, emit, note
from mmcodemod.cli.options import Failure, given, running_options

if TYPE_CHECKING:
    from mmcodemod.model.context import Overview
    from mmcodemod.model.finding import Problem
    from mmcodemod.model.report import Report
    from mmcodemod.source.tree import Tree

FEW = 4
"""How many runs a terminal is shown with all that is known of each, where the user asks for nothing else."""
HINT = "(--format text shows each with its command, options and versions)\n"


@click.command(short_help="Show how the tree is trained: entry, launch, strategy.")
@click.argument("path", type=click.Path(), default=".")
@click.option("--format", type=click.Choice(("text", "table", "json")), help=(
    "[default: text; on a terminal a table of more than 4 runs]"
))  # fmt: skip
@click.option("--all", "every", is_flag=True, help=(
    "Show also the configurations that nothing launches, and every launch, script and YAML file that makes "
    "no training context, with the reason (as a table or JSON)."
))  # fmt: skip
@click.option("--config", type=click.Path(dir_okay=False), metavar="FILE", help="Read this configuration.")
@click.option("--explain", metavar="KEY", help=(
    "Show why: the places that lead to the value of KEY: strategy, an option as in --format json, "
    "or version:PACKAGE."
))  # fmt: skip
@click.option("--output", type=click.Path(dir_okay=False), metavar="FILE", help="Write the list to a file.")
@running_options
def contexts(
    path: str,
    format: str | None,
    every: bool,
    config: str | None,
    explain: str | None,
    output: str | None,
    **running: Any,
) -> int:
    """Show in which ways the tree is trained: entry, launch command, strategy, versions."""
    from mmcodemod import pipeline
    from mmcodemod.cli import session as sessions
    from mmcodemod.report.text import problem_lines

    values = {"paths": (path,), "config": config, "format": format or "text", "output": output, **running}
    session = sessions.start(given(values))
    with sessions.watched(session.discovered.tree) as tree:
        if every and explain is None:
            overview, problems = pipeline.overview(tree, session.settings)
            problems = sessions.all_problems(session.discovered, problems)
            text = _of_all(overview, problems, format or "text")
        else:
            report = pipeline.check(tree, session.settings)
            problems = sessions.all_problems(session.discovered, report.problems)
            report = replace(report, problems=problems)
            hint = not format and output is None and sys.stdout.isatty() and len(report.contexts) > FEW
            chosen = "table" if hint else format or "text"
            text = _rendered(report, session.discovered.tree, chosen, explain)
            text += HINT if hint and explain is None else ""
    emit(text, output)
    if format != "json":
        note(*problem_lines(problems))
    return sessions.exit_code(session, (), problems)


def _of_all(overview: Overview, problems: tuple[Problem, ...], format: str) -> str:
    from mmcodemod.report import overview as shown

    if format == "json":
        return shown.render_json(overview, problems)
    return shown.render(overview, columns())


def _rendered(report: Report, tree: Tree, format: str, explain: str | None) -> str:
    from mmcodemod.report import contexts as listed
    from mmcodemod.report import explained, overview

    if explain is None and format == "table":
        return overview.table(report.contexts, columns())
    if explain is None:
        return listed.render_json(report) if format == "json" else listed.render(report, columns())
    known = explained.keys(report)
    if explain not in known:
        similar = ", ".join(get_close_matches(explain, known, 5)) or "--format json shows all"
        raise Failure(f"no context has {explain!r}; similar: {similar}")
    if format == "json":
        return explained.render_json(report, explain)
    return explained.render(report, tree, explain)
