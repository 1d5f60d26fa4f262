"""`mmcodemod completion SHELL`."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from mmcodemod.cli.console import emit
from mmcodemod.cli.options import Failure

SHELLS = ("bash", "zsh", "fish")
_EPILOG = """\b
Put one of these lines into the start file of your shell:
  ~/.bashrc                     eval "$(mmcodemod completion bash)"
  ~/.zshrc                      eval "$(mmcodemod completion zsh)"
  ~/.config/fish/config.fish    mmcodemod completion fish | source

It completes commands, options, files, rules, and contexts of trees that were checked before."""


@click.command(epilog=_EPILOG, short_help="Print the completion script of a shell.")
@click.argument("shell", type=click.Choice(SHELLS))
def completion(shell: str) -> int:
    """Print the script that makes a shell complete mmcodemod (bash 4.4 or later, zsh, fish)."""
    kind = get_completion_class(shell)
    root = click.get_current_context().find_root()
    if kind is None:
        raise Failure(f"this version of click knows no {shell}")
    emit(kind(root.command, {}, "mmcodemod", "_MMCODEMOD_COMPLETE").source().rstrip("\n") + "\n")
    return 0
