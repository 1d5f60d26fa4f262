"""Options that commands share, and what they mean together with the configuration."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from mmcodemod.cli import complete
from mmcodemod.model.frozen import frozen

if TYPE_CHECKING:
    from mmcodemod.engine.config import Configuration
    from mmcodemod.pipeline import Settings

Command = TypeVar("Command", bound=Callable[..., Any])

LEVELS = ("error", "warning", "info")


class Failure(click.ClickException):
    """The tool or its arguments failed."""

    exit_code = 2


@frozen()
class Options:
    """The common options as given on the command line; None or empty means not given."""

    paths: tuple[str, ...] = (".",)
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    per_file_ignores: tuple[str, ...] = ()
    extend_per_file_ignores: tuple[str, ...] = ()
    format: str = "text"
    output: str | None = None
    baseline: str | None = None
    diff_base: str | None = None
    config: str | None = None
    exit_zero: bool = False
    statistics: bool = False
    color: str = "auto"
    fail_on: str | None = None
    strict: bool = False
    show_dismissed: bool = False
    profile: bool = False
    assume: tuple[str, ...] = ()
    gpu_memory: str | None = None
    preview: bool = False
    codemods: tuple[str, ...] = ()
    verbose: bool = False
    quiet: bool = False
    cache_dir: str | None = None
    no_cache: bool = False
    jobs: int = 0


_FILE = click.Path(dir_okay=False)
CACHE_DIR = click.option(
    "--cache-dir",
    type=click.Path(file_okay=False),
    envvar="MMCODEMOD_CACHE_DIR",
    metavar="DIR",
    help="Where answers are kept  [default: the user's cache folder]",
)
_CODES = "codes, prefixes of codes or rule names, separated by commas"


def _rules(flag: str, help: str) -> Callable[[Command], Command]:
    """An option that takes rules."""
    return click.option(flag, multiple=True, metavar="RULES", shell_complete=complete.rules, help=help)


_SELECT = click.option(
    "--select",
    multiple=True,
    metavar="RULES",
    shell_complete=complete.rules,
    help=f"Check these alone: {_CODES}.",
)
_IGNORE = click.option(
    "--ignore", multiple=True, metavar="RULES", shell_complete=complete.rules, help="Leave these out."
)
_CONFIG = click.option(
    "--config", type=_FILE, metavar="FILE", help="Read this configuration, look for no other."
)
_COLOR = click.option("--color", type=click.Choice(("auto", "always", "never")), default="auto")
_FAIL_ON = click.option("--fail-on", type=click.Choice(LEVELS), help="Lowest that fails  [default: warning]")
_GPU_MEMORY = click.option(
    "--gpu-memory", metavar="SIZE", help="Memory of each GPU (24GiB, 80GB): report runs that need more."
)
_PREVIEW = click.option(
    "--preview", is_flag=True, help="Let rules in preview report warnings and errors, not notes alone."
)
# fmt: off
_CHOOSING = (
    click.argument("paths", nargs=-1, type=click.Path()),
    _SELECT,
    _IGNORE,
    _rules("--extend-select", "Check these as well."),
    click.option("--per-file-ignores", multiple=True, metavar="PATTERN:RULE,...", help=(
        "Rules to leave out in files: legacy/:MM2, *.json:MM3, !src/:MM. In place of those configured."
    )),
    click.option("--extend-per-file-ignores", multiple=True, metavar="PATTERN:RULE,...", help=(
        "The same, besides those configured."
    )),
    _CONFIG,
    _GPU_MEMORY,
    _PREVIEW,
    click.option("--codemods", multiple=True, metavar="DIR", help="Load (and run) the rule folders in DIR."),
    click.option("-v", "--verbose", is_flag=True, help="Show notes in full, and say on stderr what is read."),
    click.option("-q", "--quiet", is_flag=True, help=(
        "No progress, summary or hints: findings, and files that are damaged."
    )),
)
_REPORTING = (
    click.option("--output", type=_FILE, metavar="FILE", help="Write the report to a file."),
    click.option("--exit-zero", is_flag=True, help="Exit with 0 even when there are findings."),
    click.option("--statistics", is_flag=True, help="Show how many findings each rule has."),
    _COLOR,
    _FAIL_ON,
    click.option("--strict", is_flag=True, help="Exit with 1 when a file cannot be read or parsed."),
    click.option("--show-dismissed", is_flag=True, help="Show what was considered and not reported."),
    click.option("--profile", is_flag=True, help="Report the seconds that each stage and each rule took."),
)
# fmt: on
_ASSUME = "Take this version of a package for what runs, whatever the tree requires."
_RUNNING = (
    click.option("--assume", multiple=True, metavar="NAME==VERSION", help=_ASSUME),
    CACHE_DIR,
    click.option(
        "--no-cache", is_flag=True, envvar="MMCODEMOD_NO_CACHE", help="Neither read nor keep answers."
    ),
    click.option("-j", "--jobs", type=click.IntRange(1), metavar="N", help="Processes  [default: what pays]"),
)


def common_options(command: Command) -> Command:
    """Adds PATH... and all common options."""
    return _with(running_options(command), (*_CHOOSING, *_REPORTING))


def choosing_options(command: Command) -> Command:
    """Adds PATH... and the options of a command that checks and prints no report."""
    return _with(running_options(command), _CHOOSING)


def baseline_option(help: str) -> Callable[[Command], Command]:
    """Adds --baseline FILE."""
    return click.option("--baseline", type=_FILE, metavar="FILE", help=help)


def format_option(formats: Iterable[str]) -> Callable[[Command], Command]:
    """Adds --format: `text`, or another of these."""
    choice = click.Choice(tuple(formats))
    return click.option("--format", type=choice, default="text", show_default=True, help="Of the report.")


def preflight_options(command: Command) -> Command:
    """Adds those that make sense for one command."""
    return _with(
        running_options(command), (_SELECT, _IGNORE, _CONFIG, _COLOR, _FAIL_ON, _GPU_MEMORY, _PREVIEW)
    )


def running_options(command: Command) -> Command:
    """Adds the options of every command that reads a tree: assumed versions, the cache, processes."""
    return _with(command, _RUNNING)


def _with(command: Command, options: Iterable[Callable[[Command], Command]]) -> Command:
    for option in reversed(tuple(options)):
        command = option(command)
    return command


def given(values: Mapping[str, Any]) -> Options:
    """The options of one invocation."""
    return Options(**{**values, "paths": values["paths"] or (".",), "jobs": values["jobs"] or 0})


def folders(codemods: Iterable[str]) -> tuple[str, ...]:
    """The folders that `--codemods` names."""
    return tuple(str(Path(folder).resolve()) for folder in codemods)


def known_rules(codemods: Iterable[str]) -> dict[str, str]:
    """Code -> name of all rules.

    Raises:
        Failure: listing every mistake in the rules.
    """
    from mmcodemod.engine.registry import RegistryError, names

    try:
        return names(tuple(codemods))
    except RegistryError as error:
        raise Failure(f"rules are declared wrongly:\n{error}") from None


def settings(options: Options, configuration: Configuration, names: Mapping[str, str]) -> Settings:
    """What the pipeline needs: the command line wins over the configuration.

    Raises:
        Failure: for a selector that means no rule, and for what states no version or size.
    """
    from mmcodemod.engine.assume import BadAssumption, assumed
    from mmcodemod.engine.memory_size import BadSize
    from mmcodemod.engine.selection import UnknownRule, codes
    from mmcodemod.pipeline import Settings

    extended = (*configuration.extend_select, *_split(options.extend_select))
    per_file = _all_per_file(options, configuration)
    try:
        return Settings(
            select=codes((*(_split(options.select) or configuration.select or ("MM",)), *extended), names),
            ignore=codes(_split(options.ignore) or configuration.ignore, names),
            per_file_ignores={pattern: codes(per_file[pattern], names) for pattern in sorted(per_file)},
            codemods=folders(options.codemods),
            assume={**assumed(configuration.assume, configuration.path), **assumed(options.assume)},
            gpu_memory=_gpu_memory(options, configuration),
            preview=options.preview or configuration.preview,
            jobs=options.jobs,
        )
    except (UnknownRule, BadAssumption, BadSize) as error:
        raise Failure(str(error)) from None


def _all_per_file(options: Options, configuration: Configuration) -> dict[str, tuple[str, ...]]:
    """Pattern -> rules to leave out. The command line replaces the configuration, or adds to it."""
    found = _per_file(options.per_file_ignores) or dict(configuration.per_file_ignores)
    for pattern, rules in _per_file(options.extend_per_file_ignores).items():
        found[pattern] = (*found.get(pattern, ()), *rules)
    return found


def _gpu_memory(options: Options, configuration: Configuration) -> int:
    from mmcodemod.engine.memory_size import memory_size

    if options.gpu_memory is None:
        return memory_size(configuration.gpu_memory, configuration.path)
    return memory_size(options.gpu_memory or "nothing")


def _split(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(part for value in values for part in re.split(r"[\s,]+", value) if part)


def _per_file(values: Iterable[str]) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for item in _split(values):
        pattern, colon, rule = item.rpartition(":")
        if not (pattern and colon and rule):
            raise Failure(f"--per-file-ignores wants PATTERN:RULE, not {item!r}")
        found[pattern] = (*found.get(pattern, ()), rule)
    return found
