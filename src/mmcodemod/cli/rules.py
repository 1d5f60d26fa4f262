"""`mmcodemod rules`."""

from __future__ import annotations

import click

from mmcodemod.cli.console import emit
from mmcodemod.cli.options import known_rules


@click.command()
@click.option("--format", type=click.Choice(("text", "json")), default="text", show_default=True)
@click.option("--codemods", multiple=True, metavar="DIR", help="Load (and run) the rule folders in DIR.")
def rules(format: str, codemods: tuple[str, ...]) -> int:
    """List all rules."""
    from mmcodemod.engine.builtin import BUILTIN
    from mmcodemod.engine.registry import rules as registered
    from mmcodemod.report import catalogue

    known_rules(codemods)
    rows = [catalogue.row(rule) for rule in registered(codemods)]
    rows += [catalogue.Row(b.code, b.name, "mmcodemod", "warning", b.fixable, b.summary) for b in BUILTIN]
    emit(catalogue.render_json(rows) if format == "json" else catalogue.render(rows))
    return 0
