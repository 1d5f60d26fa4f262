"""MM402: a save that gathers from all ranks, or waits for them, stands where only some ranks come."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import libcst as cst

from mmcodemod.api import (
    ALWAYS,
    DEEPSPEED,
    LIGHTNING,
    SHARDED,
    WRAPPED,
    Answer,
    Cause,
    Context,
    Dismissal,
    Divergence,
    Excluded,
    Fatal,
    Finding,
    Letter,
    Note,
    Place,
    Project,
    Rule,
    SavedByAll,
    Severity,
    Side,
    Site,
    Strategy,
    both,
    conclude,
    differs,
    doubted,
    flow_of,
    launched,
    let_in,
    lightning_waits,
    node_of,
    only_after_failure,
    runs_with,
    saved_by_all,
    saves,
    site,
    skips,
    weigh,
)

from .codemod import fix

STRATEGIES = {
    SHARDED: (Strategy.ZERO3, Strategy.FSDP1, Strategy.FSDP2),
    DEEPSPEED: (Strategy.ZERO3, Strategy.ZERO2, Strategy.ZERO1),
    WRAPPED: (Strategy.ZERO3, Strategy.FSDP1, Strategy.FSDP2, Strategy.ZERO2, Strategy.ZERO1),
}
DOES = {
    SHARDED: "gathers the parameters from all ranks under ZeRO-3 and FSDP",
    DEEPSPEED: "waits for all ranks under DeepSpeed, at any stage",
    WRAPPED: "waits for all ranks under DeepSpeed and FSDP",
    ALWAYS: "waits for all ranks",
    LIGHTNING: "of Lightning's Trainer waits for all ranks",
}
BY_CONTRACT = ("_save",)  # what the Trainer calls on the ranks that write, and on no other


def trigger(project: Project) -> Iterator[Site]:
    """Tests on the rank with such a save behind them, decorated functions, and saves that all ranks make."""
    for found in project.get(saves):
        node = node_of(project, found)
        hides = any(letter.hidden for letter in found.letters)
        judged = found.cause in (Cause.ARM, Cause.LEAVE, Cause.DECORATOR) and found.side is not None
        if judged and hides and node is not None:
            yield site(project, found.frame.function, node, found)
    for saved in project.get(saved_by_all):
        yield site(project, saved.function, saved.call, saved)


def pattern(node: cst.CSTNode) -> bool:
    """An `if` or `match`, a conditional expression, a call behind `and`, or a function with a decorator."""
    if isinstance(node, cst.FunctionDef):
        return bool(node.decorators)
    return isinstance(node, (cst.If, cst.Match, cst.IfExp, cst.Call))


def check(project: Project, site: Site) -> Iterator[Finding | Dismissal]:
    if isinstance(site.data, SavedByAll):
        yield _of_all(project, site, site.data)
        return
    found: Divergence = site.data
    at = Place(site.path, site.at.line, site.at.column) if found.cause is Cause.DECORATOR else site.head
    if project.index.function(site.function).name in BY_CONTRACT:
        note = Note(at, "the Trainer calls this method on the ranks that write")
        yield Dismissal(RULE.code, at, "called by contract", (note,))
        return
    hidden = [letter for letter in found.letters if letter.hidden]
    verdict = weigh(project, site.function, lambda context: _answer(project, context, found, hidden))
    message = _message(found, hidden)
    yield conclude(RULE.code, site, verdict, message, _anchor(site, hidden), _notes(found, hidden), at)


def _of_all(project: Project, site: Site, saved: SavedByAll) -> Finding | Dismissal:
    """A save that no test on the rank guards; perhaps one on what each rank works out of its own batches."""
    tests = flow_of(project, saved.function).tests(saved.call)
    own = next((t.test for t, _ in tests if skips.asks_data(project, saved.function, t.test)), None)
    if own is None:
        note = Note(site.at, "no test on the rank stands before it")
        return Dismissal(RULE.code, site.at, "called on all ranks", (note,))
    asked, name = ast.unparse(own), saved.letter.name
    message = (
        f"`{asked}` is asked of this rank's own batches: ranks that answer it apart do not all get to "
        f"`{name}`, which {DOES[saved.letter.hidden]}, so the run hangs at this save until a timeout ends it."
    )
    verdict = weigh(project, saved.function, lambda context: _apart(project, context, saved, asked))
    at = project.place(site.path, own)
    note = Note(at, "each rank has its own value here, which nothing reduces")
    return conclude(RULE.code, site, verdict, message, f"{site.symbol}: {asked}: {name}", (note,))


def _apart(project: Project, context: Context, saved: SavedByAll, asked: str) -> Answer:
    everywhere = saved.letter.hidden in (ALWAYS, LIGHTNING)  # whatever the strategy
    answer = launched(Fatal(), context) if everywhere else _strategy(project, context, saved.letter)
    return doubted(answer, f"whether ranks answer `{asked}` apart", plausible=False)


def _answer(project: Project, context: Context, found: Divergence, hidden: list[Letter]) -> Answer:
    """What the loudest of the saves comes to."""
    ranks = differs(project, context, found, hidden)
    return max((_of_save(project, context, found, letter, ranks) for letter in hidden), key=_loudness)


def _of_save(project: Project, context: Context, found: Divergence, letter: Letter, ranks: Answer) -> Answer:
    if letter.hidden == LIGHTNING:  # it starts its ranks by itself
        ranks = lightning_waits(project, context, found, letter)
    way = both(ranks, let_in(project, context, found, [letter]))
    way = doubted(way, only_after_failure(project, found, letter))
    return way if letter.hidden in (ALWAYS, LIGHTNING) else both(way, _strategy(project, context, letter))


def _strategy(project: Project, context: Context, letter: Letter) -> Answer:
    """A launch that leaves the strategy open may be any; DDP, too, under which one rank may save."""
    answer = runs_with(project, context, STRATEGIES[letter.hidden])
    if context.strategy is Strategy.UNKNOWN:
        names = "ZeRO-3 or FSDP" if letter.hidden == SHARDED else "DeepSpeed or FSDP"
        names = "DeepSpeed" if letter.hidden == DEEPSPEED else names
        return doubted(Fatal(), f"the strategy, which nothing in the tree sets: {names}", plausible=False)
    return answer


def _loudness(answer: Answer) -> int:
    if isinstance(answer, Excluded):
        return 0
    return 3 if isinstance(answer, Fatal) else 1 + answer.plausible


def _message(found: Divergence, hidden: list[Letter]) -> str:
    first = hidden[0]
    through = [edge.callee.function.partition("::")[2] for edge in first.via]
    where = f" (through `{through[0]}`)" if through else ""
    return (
        f"The run hangs at this save: `{first.name}`{where} {DOES[first.hidden]}, and {_who(found)}, "
        "so it waits until a timeout ends the run."
    )


def _who(found: Divergence) -> str:
    if found.side is Side.SOME:
        return "only some ranks get there"
    main = (found.side is Side.MAIN) == bool(found.then)
    leaves = " because of this early end" if found.cause is Cause.LEAVE else ""
    return ("only the main rank gets there" if main else "the main rank does not get there") + leaves


def _notes(found: Divergence, hidden: list[Letter]) -> tuple[Note, ...]:
    """Where the saves are, with the calls that lead to the first."""
    notes = [
        Note(
            Place(edge.caller.function.partition("::")[0], edge.line),
            f"calls `{edge.callee.function.partition('::')[2]}`",
        )
        for edge in hidden[0].via
    ]
    notes += [Note(x.at, f"`{x.name}` {DOES[x.hidden]}") for x in hidden[:4] if x.at]
    return tuple(dict.fromkeys(notes))


def _anchor(site: Site, hidden: list[Letter]) -> str:
    test = getattr(site.node, "test", getattr(site.node, "subject", None))
    text = ast.unparse(test) if test is not None else getattr(site.node, "name", "")
    return f"{site.symbol}: {text}: {', '.join(letter.name for letter in hidden)}"


RULE = Rule(
    code="MM402",
    name="sharded-save-under-rank-guard",
    summary="A save that gathers from all ranks stands where only some ranks come",
    family="collectives",
    severity=Severity.ERROR,
    since="0.1.0",
    options=("strategy",),
    trigger=trigger,
    pattern=pattern,
    check=check,
    fix=fix,
)
