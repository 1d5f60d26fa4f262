"""MM104: under ZeRO-3 transformers loads no model with a device_map."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import libcst as cst

from mmcodemod.api import (
    Answer,
    Context,
    Dismissal,
    Excluded,
    Fatal,
    Finding,
    Fix,
    Note,
    Place,
    Placed,
    PlacedLoad,
    Project,
    Rule,
    Seen,
    Settings,
    Severity,
    Site,
    Strategy,
    Tests,
    Unclear,
    ValueOrigin,
    Verdict,
    both,
    comes_by,
    conclude,
    config_order,
    either_way,
    flow_of,
    placed_loads,
    runs_with,
    taken_by,
    versions,
    weigh,
    without_zero3,
)
from mmcodemod.api import (
    site as site_of,
)

from .codemod import mended

LOW = "low_cpu_mem_usage"
IGNORED = "4.51.0"  # transformers: low_cpu_mem_usage is dropped without a word
_ASKS = re.compile(r"deepspeed|zero", re.IGNORECASE)


def trigger(project: Project) -> Iterator[Site]:
    """Every load of training code that is told where to put the weights, if any run is sharded."""
    every = (*project.contexts, *project.configured)
    if any(context.strategy is Strategy.ZERO3 for context in every):
        for placed in project.get(placed_loads):
            yield site_of(project, placed.function, placed.load.call, placed)


def pattern(node: cst.CSTNode) -> bool:
    """A call of an attribute."""
    return isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute)


def check(project: Project, site: Site) -> Iterator[Finding | Dismissal]:
    verdict = _weighed(project, site)
    sites = _told_for(project, site, verdict)
    if not sites:
        return  # the finding at another place names this one
    placed: PlacedLoad = site.data
    told = " and ".join(f"`{name}`" for name in dict.fromkeys(p.name for p in placed.told))
    message = (
        f"The run ends here with `ValueError: DeepSpeed Zero-3 is not compatible with ...`: transformers "
        f"partitions what it loads under ZeRO-3, and `{placed.load.short}.from_pretrained` is given {told}."
    )
    notes = [Note(project.place(site.path, p.value), f"`{p.name}`") for p in placed.told if p.spread]
    notes += [Note(twin.at, "the run ends here as well, on the other side of the test") for twin in sites[1:]]
    notes += _flags(project, verdict.contexts[0], site) if verdict.severity and verdict.contexts else []
    anchor = f"{site.symbol}: {placed.load.short}"
    yield conclude(RULE.code, site, verdict, message, anchor, tuple(dict.fromkeys(notes)))


def fix(project: Project, site: Site, finding: Finding) -> Fix:
    """That of the place and of those that its finding stands for."""
    return mended(project, _told_for(project, site, _weighed(project, site)))


def _weighed(project: Project, site: Site) -> Verdict:
    return weigh(project, site.function, lambda context: _answer(project, context, site))


def _told_for(project: Project, site: Site, verdict: Verdict) -> list[Site]:
    """The loads on other sides of a test at which the same runs end for sure, as far as the finding here
    stands for them. It stands for itself first."""
    heads: list[tuple[Site, Verdict, list[Site]]] = []
    if verdict.severity is not Severity.ERROR:
        return [site]
    for one, found in sorted(_sure(project, site), key=_most_runs):
        ids = set(found.context_ids)
        wide = ((head, those) for head, of, those in heads if ids <= set(of.context_ids))
        those = next((those for head, those in wide if _apart(project, head, one)), None)
        if those is None:
            heads.append((one, found, [one]))
        else:
            those.append(one)
    return next((those for head, _, those in heads if head.node is site.node), [])


def _sure(project: Project, site: Site) -> Iterator[tuple[Site, Verdict]]:
    """The loads of the function at which a run ends for sure."""
    for placed in project.get(placed_loads):
        if placed.function == site.function:
            one = site_of(project, placed.function, placed.load.call, placed)
            found = _weighed(project, one)
            if found.severity is Severity.ERROR:
                yield one, found


def _most_runs(found: tuple[Site, Verdict]) -> tuple[int, int, int]:
    return -len(found[1].contexts), found[0].at.line, found[0].at.column


def _apart(project: Project, one: Site, other: Site) -> bool:
    """Are they on different sides of a test, so that no run does both?"""
    flow = flow_of(project, one.function)
    here = set(flow.tests(one.node))
    return any((test, not side) in here for test, side in flow.tests(other.node))


def _flags(project: Project, context: Context, site: Site) -> list[Note]:
    """The flags of the launch that let the run in to where the value is set."""
    found = []
    for placed in site.data.told:
        ways = [(site.function, placed.value)] if placed.spread else []
        origins = Settings(project, context).origins(placed.value, site.function)
        ways += [(o.function, o.expr) for o in origins if _tested(project, o)]
        found += [comes_by(project, context, function, node) for function, node in ways]
    return [answer.why for answer in found if isinstance(answer, Fatal) and answer.why]


def _answer(project: Project, context: Context, site: Site) -> Answer:
    """A test does not matter when this fails behind both of its outcomes."""
    answer = _judged(project, context, site)
    if not isinstance(answer, Unclear):
        return answer
    others = {p.load.call: p for p in project.get(placed_loads) if p.function == site.function}
    del others[site.node]

    def fails(node: ast.Call, tests: Tests) -> bool:
        other = site_of(project, site.function, node, others[node])
        return isinstance(_judged(project, context, other, tests), Fatal)

    settled = either_way(project, context, site.function, site.node, others, fails)
    answer = _judged(project, context, site, settled) if settled else answer
    test = min((t for t, _ in settled), key=lambda t: t.lineno, default=None)
    if test is None or not isinstance(answer, Fatal):
        return answer
    at = project.place(site.path, test.test)
    return Fatal(Note(at, f"the run ends whether `{ast.unparse(test.test)}` is true or false"))


def _judged(project: Project, context: Context, site: Site, settled: Tests = frozenset()) -> Answer:
    """The answer where the `settled` tests are no doubt."""
    strategy = runs_with(project, context, (Strategy.ZERO3,))
    if isinstance(strategy, Excluded):
        return strategy
    if isinstance(strategy, Unclear):
        path = context.entry.path if context.entry else site.path
        return Excluded(Note(context.launcher or Place(path, 1), "nothing shows that it runs under ZeRO-3"))
    asked = _asked(project, site.function, site.node)
    if asked is not None:
        return Excluded(asked)
    handler = taken_by(project, site.function, site.node, "ValueError")
    if handler is not None:
        return Excluded(Note(project.place(site.path, handler), "the run goes on here when the load fails"))
    if context.entry is None:  # a configuration alone does not show the flags of the run
        return Excluded(Note(site.at, "no launch under ZeRO-3 comes here"))
    told = [_told(project, context, site, placed, settled) for placed in site.data.told]
    return max((both(_known(project, context, site, settled), answer) for answer in told), key=_loudness)


def _loudness(answer: Answer) -> int:
    return 0 if isinstance(answer, Excluded) else 3 if isinstance(answer, Fatal) else 1 + answer.plausible


def _asked(project: Project, function: str, node: ast.AST) -> Note | None:
    """A test on DeepSpeed around the load or around what puts the value into a dictionary."""
    path = function.partition("::")[0]
    for asked, _ in flow_of(project, function).tests(node):
        if _ASKS.search(text := ast.unparse(asked.test)):
            return Note(Place(path, asked.lineno), f"`{text}` asks whether DeepSpeed runs")
    return None


def _known(project: Project, context: Context, site: Site, settled: Tests) -> Answer:
    """Does transformers know the configuration by then? Else it does not partition, and does not complain."""
    state = config_order(project, context).before(site.function, site.node)
    if state is not None and state.seen is Seen.NEVER:
        return Excluded(Note(site.at, "transformers knows of no DeepSpeed configuration yet"))
    if state is not None and state.seen is Seen.MAYBE:
        return Unclear("whether transformers knows the DeepSpeed configuration by then", plausible=False)
    return _quietly(comes_by(project, context, site.function, site.node, settled=settled))


def _told(project: Project, context: Context, site: Site, placed: Placed, settled: Tests) -> Answer:
    """Is the load given something other than None, or for `low_cpu_mem_usage` than False?"""
    gone = _gone(project, context, site, placed)
    return gone if isinstance(gone, Excluded) else both(gone, _given(project, context, site, placed, settled))


def _gone(project: Project, context: Context, site: Site, placed: Placed) -> Answer:
    """Does the run take it out of the dictionary again? A test on ZeRO-3 decides for itself; one on a flag
    that the run does not pass does not."""
    open_fact = ""
    for node in placed.gone:
        way = comes_by(project, context, site.function, node)
        apart = flow_of(project, site.function).excludes(placed.value, node)
        if apart or isinstance(way, Excluded) or without_zero3(project, site.function, node):
            continue
        if isinstance(way, Fatal) or _asked(project, site.function, node):
            note = Note(project.place(site.path, node), f"`{placed.name}` is taken out again, or replaced")
            return Excluded(note)
        open_fact = open_fact or way.fact
    return Unclear(open_fact, plausible=False) if open_fact else Fatal()


def _given(project: Project, context: Context, site: Site, placed: Placed, settled: Tests) -> Answer:
    """Is what is put there, or what the keyword is given, something other than None or False?"""
    at = project.place(site.path, placed.value)
    text = ast.unparse(placed.value)
    if _ASKS.search(text):
        return Excluded(Note(at, f"`{text}` asks whether DeepSpeed runs"))
    if placed.spread:
        asked = _asked(project, site.function, placed.value)
        come = comes_by(project, context, site.function, placed.value, settled=settled)
        put = Excluded(asked) if asked else _quietly(come)
        return both(put, _value(project, context, site, placed, settled))
    return _value(project, context, site, placed, settled)


def _value(project: Project, context: Context, site: Site, placed: Placed, settled: Tests) -> Answer:
    """Where one of the expressions is None, another counts only behind tests that this run passes."""
    origins = Settings(project, context).origins(placed.value, site.function)
    answers = [_of_origin(project, context, placed, origin, settled) for origin in origins]
    none = [answer for answer in answers if isinstance(answer, Excluded)]
    if not none:
        return min(answers, key=_loudness, default=Fatal())
    certain = (a for a, o in zip(answers, origins) if isinstance(a, Fatal) and _tested(project, o))
    return next(certain, none[0])


def _tested(project: Project, origin: ValueOrigin) -> bool:
    return any(True for _ in flow_of(project, origin.function).tests(origin.expr))


def _of_origin(
    project: Project, context: Context, placed: Placed, origin: ValueOrigin, settled: Tests
) -> Answer:
    """What one expression that the value may come from means, if the run comes by it."""
    at = project.place(origin.function.partition("::")[0], origin.expr)
    values = {s.value for s in Settings(project, context).of(origin.expr, origin.function)}
    if values <= {None, False, ""}:
        return Excluded(Note(at, f"{placed.name} is {ast.unparse(origin.expr)} here"))
    reached = _quietly(comes_by(project, context, origin.function, origin.expr, settled=settled))
    if isinstance(origin.expr, (ast.Call, ast.Attribute, ast.Name, ast.Subscript)):
        return both(reached, Unclear(f"whether `{ast.unparse(origin.expr)}` is None", plausible=False))
    return both(reached, _ignored(context) if placed.name == LOW else Fatal())


def _quietly(answer: Answer) -> Answer:
    """A test that stays open is no reason to be loud: the branch is often for other runs."""
    return Unclear(answer.fact, plausible=False) if isinstance(answer, Unclear) else answer


def _ignored(context: Context) -> Answer:
    """transformers 4.51 takes `low_cpu_mem_usage` no more, and does not complain."""
    old = versions.below(context, "transformers", IGNORED)
    if old is None:
        return Unclear(f"the transformers version: {IGNORED} ignores {LOW}", plausible=False)
    if old:
        return Fatal()
    note = versions.pinned(context, "transformers", f", which ignores {LOW} (since {IGNORED})")
    return Excluded(note or Note(Place(context.id, 1), f"transformers ignores {LOW}"))


RULE = Rule(
    code="MM104",
    name="zero3-device-map",
    summary="Under ZeRO-3 transformers loads no model with a device_map",
    family="sharding",
    severity=Severity.ERROR,
    since="0.1.0",
    options=("strategy",),
    trigger=trigger,
    pattern=pattern,
    check=check,
    fix=fix,
)
