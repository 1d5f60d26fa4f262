"""`mmcodemod fix [PATH...] [--apply] [--interactive] [--diff] [--unsafe] [--context ID] [--patch FILE]`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from mmcodemod.cli import complete
from mmcodemod.cli.console import columns, emit, emit_whole, note, palette
from mmcodemod.cli.grouped import Grouped
from mmcodemod.cli.options import Failure, common_options, format_option, given
from mmcodemod.cli.writing import applied, verified
from mmcodemod.model.frozen import frozen
from mmcodemod.model.grade import Severity

if TYPE_CHECKING:
    from mmcodemod.cli.known import Baseline
    from mmcodemod.cli.session import Session
    from mmcodemod.engine.plan import Plan
    from mmcodemod.pipeline import FixResult
    from mmcodemod.report.fixes import Outcome

FOUND = 1


@frozen()
class Wish:
    """What the options of `fix` itself ask for."""

    apply: bool
    diff: bool
    interactive: bool
    unsafe: bool
    contexts: tuple[str, ...]
    patch: str | None

    @property
    def writes(self) -> bool:
        return self.apply or self.interactive


@click.command(cls=Grouped)
@common_options
@format_option(("text", "json"))
@click.option("--apply", is_flag=True, help="Write the fixes (else only the diff is shown).")
@click.option("--interactive", is_flag=True, help=(
    "Ask about one finding at a time: apply, skip, ignore or quit; then write."
))  # fmt: skip
@click.option("--diff", is_flag=True, help="Write nothing, and exit with 1 only if something would change.")
@click.option("--unsafe", is_flag=True, help="Include fixes that change numerics or structure.")
@click.option("--context", "contexts", multiple=True, metavar="ID", shell_complete=complete.contexts, help=(
    "Judge and fix for these runs alone: ids as `mmcodemod contexts` shows them, launch files, or the ends "
    "of these that a report shows."
))  # fmt: skip
@click.option("--patch", metavar="FILE", help=(
    "Write the changes as a patch, too (- is standard output), for `git apply` in the checked folder, and "
    "for `git apply --reverse`."
))  # fmt: skip
def fix(
    apply: bool,
    interactive: bool,
    diff: bool,
    unsafe: bool,
    contexts: tuple[str, ...],
    patch: str | None,
    **values: Any,
) -> int:
    """Show the documented fixes as a diff, or write them.

    What is only noted (info) is left as it is, unless --select names its rule, by code or name and not by a
    prefix, or --fail-on is info. What the configured baseline knows is fixed, too, and what is left of it
    does not fail.
    """
    from mmcodemod.cli import known
    from mmcodemod.cli import session as sessions

    wish = Wish(apply, diff, interactive, unsafe, contexts, patch)
    options = given(values)
    _refuse_contradictions(wish, options.format, options.output)
    session = sessions.start(options)
    baselines = known.baselines_of(session)  # before anything is written: it may fail
    result, before = verified(session, _plan(session, wish), wish.unsafe, wish.contexts)
    if patch and patch != "-":
        _patch(patch, result, before)  # before anything is written: it may fail
    if wish.writes:
        planned, result = result, applied(session, result, before)
        if patch and patch != "-" and planned.changed != result.changed:
            _patch(patch, result, before)
    _announce(session, wish, result)
    if patch == "-":
        _patch(patch, result, before)
    else:
        emit(_rendered(session, wish, result, before), options.output)
    _notes(session, wish, result)
    if diff:
        return FOUND if result.changed and not options.exit_zero else 0
    return _exit_code(session, wish, result, baselines)


def _exit_code(session: Session, wish: Wish, result: FixResult, baselines: Sequence[Baseline]) -> int:
    """Does what remains fail, when what is known does not count?"""
    from mmcodemod.cli import session as sessions
    from mmcodemod.cli.known import unknown

    remaining = result.left if wish.writes else (*result.fixed, *result.left)
    new = unknown(session, remaining, baselines)
    known = len(remaining) - len(new)
    if known and session.options.format == "text" and not session.options.quiet:
        note(f"{known} in the baseline do not count for the exit code")
    return sessions.exit_code(session, new, result.problems)


def _refuse_contradictions(wish: Wish, format: str, output: str | None) -> None:
    """Raises: Failure."""
    if wish.diff and wish.writes:
        raise Failure("--diff writes nothing: it goes neither with --apply nor with --interactive")
    if wish.patch == "-" and format == "json" and output is None:
        raise Failure("--patch - and --format json both want standard output: give one of them a file")
    if wish.interactive:
        from mmcodemod.cli import dialog

        if not dialog.can_ask():
            raise Failure("--interactive asks in a terminal, and there is none: use --diff, then --apply")


def _plan(session: Session, wish: Wish) -> Plan:
    """Who chooses: the person, or the pipeline by itself."""
    notes = _notes_wanted(session)
    if not wish.interactive:
        from mmcodemod.engine.plan import every

        return every(wish.unsafe, notes)
    from mmcodemod.cli.dialog import Dialog

    colours = palette(session.options.color, None, sys.stderr)
    return Dialog(wish.unsafe, session.names, colours, columns(), notes)


def _notes_wanted(session: Session) -> frozenset[str]:
    """The rules whose notes are to be fixed, too: all where notes fail, else those that --select names."""
    from mmcodemod.engine.selection import named

    if session.fail_on is Severity.INFO:
        return frozenset(session.names)
    selectors = " ".join(session.options.select).replace(",", " ").split()
    return named(selectors, session.names)


def _patch(file: str, result: FixResult, before: dict[str, bytes]) -> None:
    from mmcodemod.report.diff import diff

    emit_whole(diff(before, result.changed), file)


def _outcome(result: FixResult) -> Outcome:
    from mmcodemod.report.fixes import Outcome

    refused = [(refusal.now, refusal.reason) for refusal in result.refused]
    return Outcome(result.changed, result.applied, result.fixed, result.left, refused)


def _rendered(session: Session, wish: Wish, result: FixResult, before: dict[str, bytes]) -> str | bytes:
    from mmcodemod.report import fixes

    options = session.options
    if options.format == "json":
        return fixes.render(_outcome(result), result.problems, session.names)
    colours = palette(options.color, options.output)
    if wish.writes:
        return fixes.told(_outcome(result), session.names, colours, columns())
    from mmcodemod.report.diff import diff, for_terminal

    text = diff(before, result.changed)
    on_terminal = options.output is None and (sys.stdout.isatty() or colours.on)
    return for_terminal(text, colours) if on_terminal else text


def _announce(session: Session, wish: Wish, result: FixResult) -> None:
    """Before a preview: what the diff mends. On stderr, so that stdout is a patch."""
    if wish.writes or session.options.format != "text" or session.options.quiet:
        return
    from mmcodemod.report.fixes import planned

    rows = planned(_outcome(result), session.names, palette(session.options.color, None, sys.stderr))
    note(*rows, *([""] if rows else []))


def _notes(session: Session, wish: Wish, result: FixResult) -> None:
    """What is left, and what could not be read: the latter when quiet, too."""
    if session.options.format != "text":
        return
    from mmcodemod.report.fixes import not_fixed, summary
    from mmcodemod.report.text import problem_lines

    outcome, known = _outcome(result), {refusal.problem for refusal in result.refused}
    if session.options.quiet:
        note(*problem_lines(p for p in result.problems if p.damage or session.options.strict))
        return
    told = wish.writes and wish.patch != "-"  # on stdout
    colours = palette(session.options.color, None, sys.stderr)
    left = [] if told else not_fixed(outcome, session.names, colours, columns())
    problems = (problem for problem in result.problems if problem not in known)
    note(
        *problem_lines(problems),
        *([""] if left and result.changed else []),
        *left,
        summary(outcome, wish.writes),
    )
