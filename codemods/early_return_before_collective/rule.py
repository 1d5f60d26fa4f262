"""MM406: some ranks leave before a call that waits for every rank."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import libcst as cst

from mmcodemod.api import (
    Answer,
    Bits,
    Cause,
    Context,
    Dismissal,
    Divergence,
    Finding,
    Letter,
    Note,
    Place,
    Project,
    RankTest,
    Rule,
    Severity,
    Side,
    Site,
    Unclear,
    conclude,
    differs,
    doubted,
    harmless_tests,
    holds,
    is_late,
    launched,
    node_of,
    open_way,
    plain,
    site,
    weigh,
)

from .codemod import fix

RANK = (Side.MAIN, Side.OTHERS)
ENDS = {"return": "leave the function", "break": "leave the loop", "continue": "skip the rest of the round"}
ENDS["exit"] = "end their process"


def trigger(project: Project) -> Iterator[Site]:
    """Tests on the rank, or on the files and the clock of one machine, that leave before a collective."""
    for found in project.get(plain):
        node = node_of(project, found)
        if node is not None and (_by_rank(found) or _by_machine(project, found)):
            yield site(project, found.frame.function, node, found)
    for test in project.get(harmless_tests):
        if test.leaver is not None:
            yield site(project, test.frame.function, test.node, test)


def _by_rank(found: Divergence) -> bool:
    return found.cause is Cause.LEAVE and found.side in RANK


def _by_machine(project: Project, found: Divergence) -> bool:
    """What only this machine's files or clock say, or an exception, right before the exchange."""
    here = any(not x.via and not is_late(project, x, found.frame) for x in found.letters)
    return here and found.cause in (Cause.LEAVE, Cause.HANDLER) and found.bits == Bits.LOCAL


def pattern(node: cst.CSTNode) -> bool:
    """An `if`, a `match` or a `try`."""
    return isinstance(node, (cst.If, cst.Match, cst.Try))


def check(project: Project, site: Site) -> Iterator[Finding | Dismissal]:
    if isinstance(site.data, RankTest):
        yield _harmless(site, site.data)
        return
    found: Divergence = site.data
    at = site.head if isinstance(site.node, ast.If) else Place(site.path, site.at.line, site.at.column)
    every = [letter for letter in found.letters if not letter.group]
    if not every:
        notes = _notes(site, found, list(found.letters))
        yield Dismissal(RULE.code, at, "waits for a group of ranks only", notes)
        return
    verdict = weigh(project, site.function, lambda context: _answer(project, context, found, every))
    if _by_rank(found) or verdict.contexts:
        message = _message(found, every)
        yield conclude(
            RULE.code, site, verdict, message, _anchor(site, every), _notes(site, found, every), at
        )


def _harmless(site: Site, test: RankTest) -> Dismissal:
    if test.one:
        note = Note(site.head, "asks how many ranks there are")
        return Dismissal(RULE.code, site.head, "leaves only where there is one process", (note,))
    note = Note(test.collective, "whatever this test says of the rank")
    return Dismissal(RULE.code, site.head, "all ranks make the same collective calls", (note,))


def _answer(project: Project, context: Context, found: Divergence, every: list[Letter]) -> Answer:
    answer = launched(differs(project, context, found, every), context)
    answer = doubted(answer, open_way(project, context, found, every), plausible=False)
    chosen = _chosen(project, found, every[0])
    answer = doubted(answer, f"whether `{chosen}` is true", plausible=False) if chosen else answer
    if _by_rank(found) or (isinstance(answer, Unclear) and not answer.plausible):
        return answer
    handler = found.cause is Cause.HANDLER
    what = "an exception on one rank alone" if handler else "the files of each machine"
    return doubted(answer, what, plausible=False)


def _chosen(project: Project, found: Divergence, letter: Letter) -> str:
    """The test of the conditional expression that holds the call: what callers give may always decide it."""
    here = found.frame.function
    call = next((edge.call for edge in letter.via[:1] if edge.caller.function == here), None)
    inside = (n for n in ast.walk(project.index.function(here).node) if isinstance(n, ast.IfExp))
    return next((ast.unparse(n.test) for n in inside if call is not None and holds(n, call)), "")


def _message(found: Divergence, every: list[Letter]) -> str:
    what = f"`{every[0].name}`"
    if found.cause is Cause.HANDLER:
        return (
            f"A rank on which an exception is caught here never gets to {what}, and the others wait there "
            "until a timeout ends the run."
        )
    who = {Side.MAIN: "The main rank", Side.OTHERS: "All ranks but the main one"}
    leaves_then = bool(found.orelse)
    side = found.side if leaves_then else _FLIPPED.get(found.side)
    leaving = who.get(side, "Some ranks") if side else "Some ranks"
    verb = ENDS.get(found.leaver.kind if found.leaver else "return", "leave")
    if leaving == "The main rank":
        verb = verb.replace("leave", "leaves", 1).replace("skip", "skips").replace("end their", "ends its")
    return f"{leaving} {verb} here, and the rest wait at {what} until a timeout ends the run."


_FLIPPED: dict[Side | None, Side] = {Side.MAIN: Side.OTHERS, Side.OTHERS: Side.MAIN}


def _notes(site: Site, found: Divergence, letters: list[Letter]) -> tuple[Note, ...]:
    """The statement that leaves, the calls that lead to the first collective, and the collectives."""
    notes = [Note(Place(site.path, found.leaver.at[0]), "leaves")] if found.leaver else []
    for edge in letters[0].via:
        name = edge.callee.function.partition("::")[2]
        notes.append(Note(Place(edge.caller.function.partition("::")[0], edge.line), f"calls `{name}`"))
    notes += [Note(letter.at, f"`{letter.name}` waits for every rank") for letter in letters[:4] if letter.at]
    return tuple(dict.fromkeys(notes))


def _anchor(site: Site, every: list[Letter]) -> str:
    test = getattr(site.node, "test", getattr(site.node, "subject", None))
    text = ast.unparse(test) if test is not None else "try"
    return f"{site.symbol}: {text}: {', '.join(dict.fromkeys(letter.name for letter in every))}"


RULE = Rule(
    code="MM406",
    name="early-return-before-collective",
    summary="Some ranks leave before a call that waits for every rank",
    family="collectives",
    severity=Severity.ERROR,
    since="0.1.0",
    preview=True,
    options=("strategy",),
    trigger=trigger,
    pattern=pattern,
    check=check,
    fix=fix,
)
