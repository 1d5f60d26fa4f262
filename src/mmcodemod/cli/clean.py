"""`mmcodemod clean`."""

from __future__ import annotations

from pathlib import Path

import click

from mmcodemod.cli.console import note
from mmcodemod.cli.options import CACHE_DIR, Failure


@click.command()
@CACHE_DIR
def clean(cache_dir: str | None) -> int:
    """Delete the answers that are kept."""
    from mmcodemod.source.cache_folder import user_folder
    from mmcodemod.source.store import remove

    folder = Path(cache_dir) if cache_dir else user_folder()
    try:
        removed = folder is not None and remove(folder)
    except OSError as error:
        raise Failure(f"cannot delete the cache: {error}") from None
    note(f"deleted {folder}" if removed else "nothing is kept")
    return 0
