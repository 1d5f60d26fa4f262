"""`mmcodemod explain CODE`. Imports no rule, so it answers at once."""

from __future__ import annotations

import click

from mmcodemod.cli import complete
from mmcodemod.cli.console import emit
from mmcodemod.cli.options import Failure, known_rules


@click.command()
@click.argument("code", shell_complete=complete.rules)
@click.option("--codemods", multiple=True, metavar="DIR", help="Look in the rule folders in DIR, too.")
def explain(code: str, codemods: tuple[str, ...]) -> int:
    """Show the page of a rule, given its code or name."""
    from mmcodemod.engine.registry import shipped_page
    from mmcodemod.engine.selection import normal

    page = shipped_page(normal(code))
    text = (_other_page(code, codemods) if page is None else page).rstrip() + "\n"
    emit(text + (_PROOFS if "docs/proofs.md" in text else ""))
    return 0


_PROOFS = """
docs/proofs.md lies in the repository of mmcodemod and is not installed. For each proof it has the versions
that ran (torch, deepspeed, transformers), the text seen before the fix, and the results with the fix
and without it. The runs are of small showcases with random models, on two CPU ranks.
"""


def _other_page(code: str, codemods: tuple[str, ...]) -> str:
    """The page of a rule that a plug-in or --codemods brings."""
    from mmcodemod.engine.registry import rule_page, rules
    from mmcodemod.engine.selection import normal, unknown

    names = known_rules(codemods)
    found = [rule for rule in rules(codemods) if normal(code) in (rule.code, rule.name)]
    if not found:
        raise Failure(unknown(code, names))
    return rule_page(found[0], codemods) or f"{found[0].code} {found[0].name}\n\n{found[0].summary}.\n"
