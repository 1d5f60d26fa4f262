"""The `mmcodemod` command. Subcommands are imported when they run, and import what they need then."""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence
from importlib import import_module

import click

from mmcodemod.cli.mistaken import explained
from mmcodemod.engine.roomy import roomy
from mmcodemod.report.version import VERSION

FAILED = 2
INTERRUPTED = 130


_COMMANDS = (
    *("check", "fix", "review", "triage", "baseline", "explain", "rules", "contexts", "graph", "preflight"),
    *("init", "clean", "completion"),
)
"""Each stands in a module of its name."""


class _Commands(click.Group):
    """Imports a command when somebody asks for it."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in _COMMANDS and cmd_name not in self.commands:
            self.add_command(getattr(import_module(f"mmcodemod.cli.{cmd_name}"), cmd_name))
        return super().get_command(ctx, cmd_name)


@click.group(
    cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.version_option(VERSION, "-V", "--version", prog_name="mmcodemod")
def commands() -> None:
    """Find the multimodal training runs that will hang, run out of sync or train wrongly, before launch."""


def main(args: Sequence[str] | None = None, prog_name: str = "mmcodemod") -> None:
    """Run a command and exit: 0 nothing found, 1 findings, 2 the tool or its arguments failed."""
    code = roomy(lambda: _run(args, prog_name))
    gc.freeze()  # the process ends: nothing that it holds needs to be looked through for garbage
    sys.exit(code)


def _run(args: Sequence[str] | None, prog_name: str) -> int:
    try:
        return commands.main(args=args, prog_name=prog_name, standalone_mode=False) or 0
    except click.NoSuchOption as error:
        explained(error).show()
        return FAILED
    except click.ClickException as error:
        error.show()
        return FAILED
    except (KeyboardInterrupt, click.Abort):
        click.echo("interrupted", err=True)
        return INTERRUPTED
    except Exception:  # Python itself would exit with 1, which means "findings"
        import traceback

        traceback.print_exc()
        click.echo("mmcodemod failed on its own account; please report this", err=True)
        return FAILED
