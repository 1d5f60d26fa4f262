"""MM401: a call that waits for every rank stands where only some ranks come."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import libcst as cst

from mmcodemod.api import (
    INSIDE,
    Answer,
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
    both,
    conclude,
    differs,
    harmless_tests,
    let_in,
    main_first,
    node_of,
    only_on_main,
    other_half,
    plain,
    site,
    weigh,
)

from .codemod import fix

GETS_THERE = {
    Side.MAIN: "Only the main rank gets to {what}",
    Side.OTHERS: "All ranks but the main one get to {what}, and the main one does not",
    Side.SOME: "Only some ranks get to {what}",
}

FIRST = "the main rank goes first and the others follow"


def trigger(project: Project) -> Iterator[Site]:
    """Tests on the rank with collectives on one side, decorated functions, and what is considered beside."""
    loud = set()
    for found in project.get(plain):
        node = node_of(project, found)
        if found.cause in (Cause.ARM, Cause.DECORATOR) and found.side is not None and node is not None:
            loud.add(found.frame.function)
            yield site(project, found.frame.function, node, found)
    for test in project.get(harmless_tests):
        if not test.one:
            yield site(project, test.frame.function, test.node, test)
    for function, call in main_first(project):
        yield site(project, function, call, FIRST)
    for function, node, at in only_on_main(project):
        if function not in loud:
            yield site(project, function, node, at)


def pattern(node: cst.CSTNode) -> bool:
    """An `if` or `match`, a conditional expression, a call behind `and`, or a function with a decorator."""
    if isinstance(node, cst.FunctionDef):
        return bool(node.decorators)
    return isinstance(node, (cst.If, cst.Match, cst.IfExp, cst.Call))


def check(project: Project, site: Site) -> Iterator[Finding | Dismissal]:
    if isinstance(site.data, RankTest):
        note = Note(site.data.collective, "whatever this test says of the rank")
        yield Dismissal(RULE.code, site.head, "all ranks make the same collective calls", (note,))
    elif site.data == FIRST:
        note = Note(site.at, "each rank waits once")
        yield Dismissal(RULE.code, site.at, FIRST, (note,))
    elif isinstance(site.data, Place):
        note = Note(site.data, "runs on the main rank alone")
        yield Dismissal(RULE.code, _def(site), "nothing in it is seen to wait for other ranks", (note,))
    else:
        yield _judged(project, site, site.data)


def _judged(project: Project, site: Site, found: Divergence) -> Finding | Dismissal:
    at = _def(site) if found.cause is Cause.DECORATOR else site.head
    every = [letter for letter in found.letters if not letter.group]
    if not every:
        return Dismissal(RULE.code, at, "waits for a group of ranks only", _notes(list(found.letters)))
    other = other_half(project, found)
    if other is not None:
        return Dismissal(RULE.code, at, "half of the ranks waits here, the other half elsewhere", (other,))
    verdict = weigh(project, site.function, lambda context: _answer(project, context, found, every))
    message = _message(found, every)
    return conclude(RULE.code, site, verdict, message, _anchor(site, every), _notes(every), at)


def _answer(project: Project, context: Context, found: Divergence, every: list[Letter]) -> Answer:
    """Do ranks part here, and do tests let one of them get to such a call?"""
    return both(differs(project, context, found, every), let_in(project, context, found, every))


def _message(found: Divergence, every: list[Letter]) -> str:
    what = " and ".join(dict.fromkeys(f"`{letter.name}`" for letter in every[:2]))
    through = _through(every[0])
    where = GETS_THERE[_side(found)].format(what=f"{what}{through}")
    if found.cause is Cause.DECORATOR:
        where += ", because of the decorator"
    return f"{where}: it waits for ranks that never come, until a timeout ends the run."


def _side(found: Divergence) -> Side:
    """The ranks that get to the first of the calls."""
    flipped = {Side.MAIN: Side.OTHERS, Side.OTHERS: Side.MAIN}
    side = found.side or Side.SOME
    return side if found.then else flipped.get(side, side)


def _through(letter: Letter) -> str:
    names = [edge.callee.function.partition("::")[2] for edge in letter.via]
    return f" (through `{names[0]}`)" if names else ""


def _notes(letters: list[Letter]) -> tuple[Note, ...]:
    """Where the collectives are, with the calls that lead to the first."""
    found = [
        Note(
            Place(edge.caller.function.partition("::")[0], edge.line), f"calls {_name(edge.callee.function)}"
        )
        for edge in letters[0].via
    ]
    found += [
        Note(letter.at, f"`{letter.name}` {INSIDE.get(letter.name, 'waits for every rank')}")
        for letter in letters[:4]
        if letter.at
    ]
    return tuple(dict.fromkeys(found))


def _name(function: str) -> str:
    return f"`{function.partition('::')[2]}`"


def _def(site: Site) -> Place:
    return Place(site.path, site.at.line, site.at.column)


def _anchor(site: Site, every: list[Letter]) -> str:
    test = getattr(site.node, "test", getattr(site.node, "subject", None))
    text = ast.unparse(test) if test is not None else getattr(site.node, "name", "")
    return f"{site.symbol}: {text}: {', '.join(letter.name for letter in every)}"


RULE = Rule(
    code="MM401",
    name="collective-under-rank-guard",
    summary="A call that waits for every rank stands where only some ranks come",
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
