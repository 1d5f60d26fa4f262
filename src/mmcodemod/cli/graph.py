"""`mmcodemod graph [PATH] [--from ENTRY] [--to SYMBOL]`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from mmcodemod.cli.console import columns, emit, note, palette
from mmcodemod.cli.options import Failure, Options

if TYPE_CHECKING:
    from mmcodemod.cli.session import Session
    from mmcodemod.pipeline import Graph

NO_PATH = 1
FORMATS = ("text", "json", "json-edges", "dot", "mermaid", "svg", "html")
_BY_ENDING = {".json": "json", ".dot": "dot", ".gv": "dot", ".mmd": "mermaid", ".svg": "svg", ".html": "html"}
_FILE = click.Path(dir_okay=False)
_EPILOG = """\b
Formats:
  text        a summary; the evidence path when --to is given
  json        {"pkg.mod.caller": ["pkg.mod.callee", ...]}, as benchmarks of call graphs read it
  json-edges  one object for every call: file, line, how it was resolved; unresolved calls with the reason
  dot         for Graphviz
  mermaid     for Markdown; large graphs are drawn by module
  svg         a drawing; large graphs are drawn by module
  html        one page to search and walk through, with no need of a network

\b
Examples:
  mmcodemod graph --format html --output graph.html
  mmcodemod graph --to MyModel.forward
  mmcodemod graph repo/ --from train.py --to collate_fn --output path.svg
  mmcodemod graph --to torch.distributed.barrier

Exit codes: 0 shown, 1 no path found, 2 the arguments are wrong or no file could be read."""


@click.command(epilog=_EPILOG, short_help="Show what calls what, and how a run gets to a function.")
@click.argument("path", type=click.Path(), default=".")
@click.option("--from", "start", default="", metavar="ENTRY", help="Show what this reaches (see --to).")
@click.option(
    "--to",
    "goal",
    default="",
    metavar="SYMBOL",
    help="Show how a run gets to this function: a dotted name or the end of one, path.py, or"
    " path.py::Class.method. Without --from: from any entry point, training first.",
)
@click.option(
    "--format",
    type=click.Choice(FORMATS),
    help="[default: what the ending of --output says; else text on a terminal and with --to, json otherwise]",
)
@click.option("--output", type=_FILE, metavar="FILE", help="Write to a file.")
@click.option("--config", type=_FILE, metavar="FILE", help="Read this configuration, look for no other.")
@click.option("--color", type=click.Choice(("auto", "always", "never")), default="auto")
def graph(
    path: str, start: str, goal: str, format: str | None, output: str | None, config: str | None, color: str
) -> int:
    """Show what calls what, from the entry points of the tree on, and how a run gets to a function."""
    from mmcodemod.cli import session as sessions

    chosen = format or _default_format(output, goal)
    options = Options(paths=(path,), config=config, format=chosen, output=output, color=color)
    session = sessions.start(options)
    found = _asked(session, start, goal)
    problems = sessions.all_problems(session.discovered, found.problems)
    emit(_rendered(found, options), output)
    if not chosen.startswith("json"):
        from mmcodemod.report.text import problem_lines

        note(*problem_lines(problems))
    status = sessions.exit_code(session, (), problems)
    return status or (NO_PATH if found.route and found.route.answer != "reachable" else 0)


def _default_format(output: str | None, goal: str) -> str:
    for ending, name in _BY_ENDING.items():
        if output and output.endswith(ending):
            return name
    return "text" if goal or (output is None and sys.stdout.isatty()) else "json"


def _asked(session: Session, start: str, goal: str) -> Graph:
    from mmcodemod import pipeline
    from mmcodemod.cli.session import watched
    from mmcodemod.model.callmap import UnknownSymbol

    try:
        with watched(session.discovered.tree) as tree:
            return pipeline.graph(tree, start, goal)
    except UnknownSymbol as error:
        raise Failure(str(error)) from None


def _rendered(found: Graph, options: Options) -> str:
    if options.format == "text":
        from mmcodemod.report.graph import text

        style = text.Style(palette(options.color, options.output), columns())
        return text.render_route(found.route, style) if found.route else text.render(found.shown, style)
    from mmcodemod.report.graph.formats import render

    return render(options.format, found.shown, found.route)
