"""`mmcodemod triage LOG [PATH]`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any

import click

from mmcodemod.cli.console import columns, emit, note, palette
from mmcodemod.cli.options import Failure, Options, given, running_options

if TYPE_CHECKING:
    from mmcodemod.model.triage import Seen, Triage
    from mmcodemod.report.triage.page import Style

EXPLAINED, UNEXPLAINED = 0, 1


@click.command(
    epilog="Exit codes: 0 something explains it; 1 nothing does; 2 no such log, or wrong arguments.",
)
@click.argument("log", type=click.Path(dir_okay=False), metavar="LOG")
@click.argument("path", default=".", type=click.Path(), metavar="[PATH]")
@click.option("--no-check", is_flag=True, help="Only say what the log looks like; read no repository.")
@click.option(
    "--most", type=click.IntRange(1), default=5, show_default=True, help="Places to show of each kind."
)
@click.option(
    "--all", "every", is_flag=True, help="Show all places, also those that mmcodemod thinks are safe."
)
@click.option("--format", type=click.Choice(("text", "json")), default="text", show_default=True)
@click.option("--output", type=click.Path(dir_okay=False), metavar="FILE", help="Write the answer to a file.")
@click.option("--config", type=click.Path(dir_okay=False), metavar="FILE", help=(
    "Read this configuration, look for no other."
))  # fmt: skip
@click.option("--gpu-memory", metavar="SIZE", help="Memory of each GPU (24GiB, 80GB).")
@click.option("--codemods", multiple=True, metavar="DIR", help="Load (and run) the rule folders in DIR.")
@click.option("--color", type=click.Choice(("auto", "always", "never")), default="auto")
@running_options
def triage(log: str, path: str, no_check: bool, most: int, every: bool, **values: Any) -> int:
    """Say what can have killed the run that wrote LOG.

    LOG is the output of a training run, or a pasted traceback; `-` is standard input, and a name that ends
    in .gz is unpacked. PATH is the repository that ran  [default: .]. The places of the repository that can
    cause what the log shows are ranked, each with what in the log speaks for it.
    """
    from mmcodemod.report.triage.page import Style

    options = given({**values, "paths": (path,)})
    seen = _read(log, options)
    answer = _unchecked(seen) if no_check else _checked(seen, options)
    style = Style(palette(options.color, options.output), columns(), most, every)
    emit(_rendered(answer, log, options, style), options.output)
    return EXPLAINED if answer.explained else UNEXPLAINED


def _read(log: str, options: Options) -> Seen:
    from mmcodemod.triage.reading import read
    from mmcodemod.triage.signatures import BadSignature, signatures

    try:
        known = signatures(options.codemods)
        with _opened(log) as stream:
            return read(stream, known)
    except BadSignature as error:
        raise Failure(f"a signature is declared wrongly: {error}") from None
    except (OSError, EOFError) as error:
        raise Failure(f"cannot read {log}: {getattr(error, 'strerror', None) or error}") from None


@contextmanager
def _opened(log: str) -> Iterator[IO[bytes]]:
    """The log as bytes."""
    if log == "-":
        yield sys.stdin.buffer
        return
    with open(log, "rb") as stream:
        if log.endswith(".gz"):
            import gzip

            with gzip.GzipFile(fileobj=stream) as unpacked:
                yield unpacked  # type: ignore[misc]
            return
        yield stream


def _unchecked(seen: Seen) -> Triage:
    from mmcodemod.triage.ranking import unchecked

    return unchecked(seen)


def _checked(seen: Seen, options: Options) -> Triage:
    """The log against the whole repository: what a configuration or a comment silences can have killed the
    run, too, and so can what a rule in preview finds."""
    from dataclasses import replace

    from mmcodemod import pipeline
    from mmcodemod.cli import session as sessions
    from mmcodemod.triage.ranking import triage

    session = sessions.start(options)
    if session.empty:
        note(f"nothing to check: no Python, configuration or launch script in {session.discovered.root}")
    settings = replace(
        session.settings, select=("MM",), ignore=(), per_file_ignores={}, suppressions=False, preview=True
    )
    with sessions.watched(session.discovered.tree) as tree:
        report = pipeline.check(tree, settings)
    return triage(seen, report, session.discovered.tree.paths)


def _rendered(answer: Triage, log: str, options: Options, style: Style) -> str:
    from mmcodemod.cli.options import known_rules

    names = known_rules(options.codemods)
    shown = "standard input" if log == "-" else log
    if options.format == "json":
        from mmcodemod.report.triage import json

        return json.render(answer, shown, names)
    from mmcodemod.report.triage import text

    return text.render(answer, shown, names, style)
