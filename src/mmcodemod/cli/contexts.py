"""`mmcodemod contexts [PATH]`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from mmcodemod.cli.console import columns, emit, note
from mmcodemod.cli.options import given, running_options


@click.command()
@click.argument("path", type=click.Path(), default=".")
@click.option("--format", type=click.Choice(("text", "json")), default="text", show_default=True)
@click.option("--config", type=click.Path(dir_okay=False), metavar="FILE", help="Read this configuration.")
@click.option("--output", type=click.Path(dir_okay=False), metavar="FILE", help="Write the list to a file.")
@running_options
def contexts(path: str, format: str, config: str | None, output: str | None, **running: Any) -> int:
    """Show in which ways the tree is trained: entry, launch command, strategy, versions."""
    from mmcodemod import pipeline
    from mmcodemod.cli import session as sessions
    from mmcodemod.report import contexts as reporter
    from mmcodemod.report.text import problem_lines

    values = {"paths": (path,), "config": config, "format": format, "output": output, **running}
    session = sessions.start(given(values))
    with sessions.watched(session.discovered.tree) as tree:
        report = pipeline.check(tree, session.settings)
    report = replace(report, problems=sessions.all_problems(session.discovered, report.problems))
    emit(reporter.render_json(report) if format == "json" else reporter.render(report, columns()), output)
    if format == "text":
        note(*problem_lines(report.problems))
    return sessions.exit_code(session, (), report.problems)
