"""The `mmcodemod` command. Subcommands import what they need when they run."""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence

import click

from mmcodemod.cli.baseline import baseline
from mmcodemod.cli.check import check
from mmcodemod.cli.clean import clean
from mmcodemod.cli.completion import completion
from mmcodemod.cli.contexts import contexts
from mmcodemod.cli.explain import explain
from mmcodemod.cli.fix import fix
from mmcodemod.cli.graph import graph
from mmcodemod.cli.init import init
from mmcodemod.cli.mistaken import explained
from mmcodemod.cli.preflight import preflight
from mmcodemod.cli.review import review
from mmcodemod.cli.rules import rules
from mmcodemod.cli.triage import triage
from mmcodemod.engine.roomy import roomy
from mmcodemod.report.version import VERSION

FAILED = 2
INTERRUPTED = 130


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(VERSION, "-V", "--version", prog_name="mmcodemod")
def commands() -> None:
    """Find the multimodal training runs that will hang, run out of sync or train wrongly, before launch."""


commands.add_command(check)
commands.add_command(fix)
commands.add_command(review)
commands.add_command(triage)
commands.add_command(baseline)
commands.add_command(explain)
commands.add_command(rules)
commands.add_command(contexts)
commands.add_command(graph)
commands.add_command(preflight)
commands.add_command(init)
commands.add_command(clean)
commands.add_command(completion)


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
