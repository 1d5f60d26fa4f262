"""What a shell may complete: rules and contexts. Quick, or nothing: a shell waits for it."""

from __future__ import annotations

import click
from click.shell_completion import CompletionItem


def rules(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Codes, or names, of the shipped rules; of a list, its last part."""
    from mmcodemod.engine.registry import shipped_names

    before, comma, last = incomplete.rpartition(",")
    known = shipped_names()
    if last and not last.startswith("M"):
        return [CompletionItem(before + comma + name) for name in known.values() if name.startswith(last)]
    items = ((code, name) for code, name in known.items() if code.startswith(last))
    return [CompletionItem(before + comma + code, help=name) for code, name in items]


def contexts(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Ids of the training contexts, when the cache knows them."""
    from mmcodemod import pipeline
    from mmcodemod.cli import session as sessions
    from mmcodemod.cli.options import Failure, Options

    try:
        session = sessions.start(Options(paths=ctx.params.get("paths") or (".",)))
    except Failure:
        return []
    report = pipeline.kept(session.discovered.tree, session.settings)
    found = sorted(report.contexts, key=lambda c: c.id) if report else []
    return [CompletionItem(c.id, help=c.strategy.value) for c in found if c.id.startswith(incomplete)]
