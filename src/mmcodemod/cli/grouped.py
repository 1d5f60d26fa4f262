"""A command whose help shows its own options first, and those that commands share under headings."""

from __future__ import annotations

import click

GROUPS = {
    "What is checked": (
        "select",
        "ignore",
        "extend_select",
        "per_file_ignores",
        "extend_per_file_ignores",
        "config",
        "assume",
        "gpu_memory",
        "preview",
        "codemods",
    ),
    "Report and exit code": (
        "format",
        "output",
        "color",
        "show_dismissed",
        "statistics",
        "profile",
        "verbose",
        "quiet",
        "fail_on",
        "strict",
        "exit_zero",
    ),
    "Cache and processes": ("cache_dir", "no_cache", "jobs"),
}
"""Heading -> names of parameters. All others are the command's own."""


class Grouped(click.Command):
    """Its options in groups."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write them."""
        records = {
            p.name: p.get_help_record(ctx) for p in self.get_params(ctx) if isinstance(p, click.Option)
        }
        shared = {name for names in GROUPS.values() for name in names}
        groups = {"Options": tuple(name for name in records if name not in shared), **GROUPS}
        for heading, names in groups.items():
            rows = [row for name in names if (row := records.get(name))]
            if rows:
                with formatter.section(heading):
                    formatter.write_dl(rows)
