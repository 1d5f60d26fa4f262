"""Options that other tools have: what stands for them here."""

from __future__ import annotations

import click

_INSTEAD = {
    ("check", "--fix"): "use `mmcodemod fix`",
    ("check", "--json"): "use --format json",
    ("check", "--exclude"): "exclude is a key of the configuration",
    ("fix", "--json"): "use --format json",
    ("fix", "--exclude"): "exclude is a key of the configuration",
    ("fix", "--write"): "use --apply",
    ("fix", "--check"): "without --apply it writes nothing and exits with 1 when there is something to fix",
}
"""(Command, option) -> what to do."""


def explained(error: click.NoSuchOption) -> click.UsageError:
    """The error, saying what to use when the option is one that people bring from elsewhere."""
    command = error.ctx.command.name if error.ctx else None
    instead = _INSTEAD.get((command or "", error.option_name))
    if not instead:
        return error
    return click.UsageError(f"No such option: {error.option_name} ({instead})", error.ctx)
