"""`mmcodemod rules`."""

from __future__ import annotations

import click

from mmcodemod.cli.console import emit
from mmcodemod.cli.options import known_rules


@click.command()
@click.option("--format", type=click.Choice(("text", "json")), default="text", show_default=True)
@click.option("--codemods", multiple=True, metavar="DIR", help="Load (and run) the rule folders in DIR.")
@click.option("--stats", is_flag=True, help="Show the cases, proofs and field-trial verdicts of each rule.")
def rules(format: str, codemods: tuple[str, ...], stats: bool) -> int:
    """List all rules."""
    from mmcodemod.engine.builtin import BUILTIN
    from mmcodemod.engine.registry import rules as registered
    from mmcodemod.report import catalogue

    known_rules(codemods)
    rows = [catalogue.row(rule) for rule in registered(codemods)]
    rows += [catalogue.Row(b.code, b.name, "mmcodemod", "warning", b.fixable, b.summary) for b in BUILTIN]
    if stats:
        from mmcodemod.engine.rule_stats import rule_stats

        known = rule_stats()
        emit(catalogue.stats_json(rows, known) if format == "json" else catalogue.stats(rows, known))
        return 0
    emit(catalogue.render_json(rows) if format == "json" else catalogue.render(rows))
    return 0
