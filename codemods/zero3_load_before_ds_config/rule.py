"""MM101: a model is loaded before transformers knows the DeepSpeed configuration."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import libcst as cst

from mmcodemod.api import (
    Answer,
    Context,
    Dismissal,
    Excluded,
    Finding,
    Fix,
    HfLoad,
    Note,
    Place,
    Project,
    Rule,
    Seen,
    Severity,
    Site,
    State,
    Strategy,
    Unclear,
    both,
    by_no_flag,
    comes_by,
    config_order,
    frozen,
    hf_loads,
    in_full_bits,
    initialized,
    lost_before,
    runs_with,
    site,
    trained_models,
    weigh,
)

from .codemod import announce, moved, shown

INIT_FLAGS = ("accelerate.deepspeed_config.zero3_init_flag", "accelerate.zero3_init_flag")


@frozen()
class Late:
    """What comes after the load: `announced`, where the configuration becomes known, and `engine`, the
    `deepspeed.initialize(...)` that takes the loaded model."""

    announced: tuple[Place, ...] = ()
    engine: Place | None = None


def trigger(project: Project) -> Iterator[Site]:
    """Every `from_pretrained` and `from_config` of transformers that training may reach."""
    for facts in project.mentioning("from_pretrained", "from_config"):
        for load in hf_loads(project, facts.id):
            if facts.id in project.trained:
                yield site(project, facts.id, load.call, load)


def pattern(node: cst.CSTNode) -> bool:
    """A call of an attribute."""
    return isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute)


def check(project: Project, site: Site) -> Iterator[Finding | Dismissal]:
    load: HfLoad = site.data
    if load.weightless:
        note = Note(site.at, f"builds a {load.short}, which has no parameters")
        yield Dismissal(RULE.code, site.at, f"`{load.short}` has no parameters", (note,))
        return
    if any(_known(project, context, site) is None for context in _reaching(project, site)):
        return  # no path is known to it: nothing can be said about the order
    if lost_before(project, site.function, site.node):
        return  # MM121 tells of the configuration that is not kept
    late = _late(project, site)
    verdict = weigh(project, site.function, lambda context: _answer(project, context, site, late))
    if verdict.severity is None:
        yield Dismissal(RULE.code, site.at, verdict.reason, verdict.evidence, verdict.context_ids)
        return
    if not late.announced and late.engine is None:
        return  # under ZeRO-3, but nothing shows where the configuration would become known
    together, late = _together(project, site, late), _of(project, site, late, verdict.contexts)
    if together and together[0].node is not site.node:
        return  # one cause, one finding: told at the first load
    yield Finding(
        RULE.code,
        site.at,
        _message(project, site, load, late) + verdict.unless,
        _severity(project, verdict.severity, late),
        verdict.confidence,
        site.symbol,
        verdict.context_ids,
        verdict.trace,
        (*_related(project, late), *_others(together), *verdict.related),
        anchor=ast.unparse(load.call.func),
    )


def _reaching(project: Project, site: Site) -> list[Context]:
    if project.is_library:
        return list(project.contexts)
    return [c for c in project.contexts if c.entry and site.function in project.reach(c.entry)]


def _known(project: Project, context: Context, site: Site) -> State | None:
    return config_order(project, context).before(site.function, site.node)


def _answer(project: Project, context: Context, site: Site, late: Late) -> Answer:
    """Does the load run under ZeRO-3 before the configuration is known?"""
    state = _known(project, context, site) or State()
    if state.seen is Seen.ALWAYS:
        return Excluded(_evidence(project, state))
    strategy = runs_with(project, context, (Strategy.ZERO3,))
    off = next((context.option(f) for f in INIT_FLAGS if context.option(f).value is False), None)
    if isinstance(strategy, Excluded):
        return strategy
    way = comes_by(project, context, site.function, site.node)
    if isinstance(way, Excluded):
        return way
    if off is not None and off.at is not None:
        return Excluded(Note(off.at, "zero3_init_flag is off: models are loaded whole on purpose"))
    if state.seen is Seen.MAYBE:
        return Unclear(_unsure(project, context, min(state.at)), plausible=False)
    whole = in_full_bits(project, context, site.node, site.function)
    sure = by_no_flag(project, context, site.function, site.node)
    return both(both(_never(project, site, late, strategy), whole), sure)


def _unsure(project: Project, context: Context, at: Place) -> str:
    """The open fact about a call that may come first: whether it runs, or what it does."""
    call = f"whether `{_text(project, at)}`"
    if at in config_order(project, context).open:
        return f"{call} at {at} makes the training arguments, which is code of a library that is not read"
    return f"{call} has run on this path"


def _never(project: Project, site: Site, late: Late, strategy: Answer) -> Answer:
    if not late.announced and isinstance(strategy, Unclear):
        return Unclear(strategy.fact, plausible=False)
    if late.announced and not _is_trained(project, site):
        return Unclear("whether this is the model that is trained", plausible=False)
    return strategy


def _evidence(project: Project, state: State) -> Note:
    at = min(state.at)
    return Note(at, f"the DeepSpeed configuration is known from here on: `{_text(project, at)}`")


def _text(project: Project, at: Place) -> str:
    """The call at a place, as written; its first line when it has several."""
    text = project.index.lines(at.path)[at.line - 1]
    whole = (
        text[at.column - 1 : at.end_column - 1] if at.end_line == at.line else text[at.column - 1 :] + "...)"
    )
    return whole if len(whole) <= 90 else whole[:87] + "..."


def _late(project: Project, site: Site) -> Late:
    """Where the configuration becomes known after the load, over all contexts that reach it."""
    orders = [config_order(project, c) for c in _reaching(project, site)]
    announced = {place for order in orders for place in order.after(site.function, site.node)}
    announced = {place for place in announced if not _first_here(project, site, place)}
    if project.is_library:  # its callers may have built the arguments: only its own lines prove an order
        announced = {place for place in announced if _own(project, site, place)}
    if announced or project.is_library:
        return Late(tuple(sorted(announced)))
    return Late((), _engine(project, site) if not any(order.places for order in orders) else None)


def _of(project: Project, site: Site, late: Late, contexts: list[Context]) -> Late:
    """What comes after the load in the runs that the finding is about."""
    orders = [config_order(project, context) for context in contexts]
    own = {place for order in orders for place in order.after(site.function, site.node)}
    return Late(tuple(at for at in late.announced if at in own) or late.announced, late.engine)


def _own(project: Project, site: Site, at: Place) -> bool:
    """Is a line of the function that loads?"""
    node = project.index.function(site.function).node
    return at.path == site.path and node.body[0].lineno <= at.line <= (node.body[-1].end_lineno or 0)


def _first_here(project: Project, site: Site, at: Place) -> bool:
    """Does the function itself come there before it loads? It comes after the load in its next call alone."""
    return _own(project, site, at) and at.line < site.node.lineno


def _engine(project: Project, site: Site) -> Place | None:
    """The `deepspeed.initialize(model=...)` that takes what this call loads."""
    loaded = project.values(site.node, site.function)
    for frame, call in initialized(project, project.trained):
        given = [*call.args[1:2], *(k.value for k in call.keywords if k.arg == "model")]
        if any(loaded & project.resolver.infer(expr, frame) for expr in given):
            return project.place(frame.function.partition("::")[0], call)
    return None


def _is_trained(project: Project, site: Site) -> bool:
    return bool(project.values(site.node, site.function) & project.get(trained_models))


def _severity(project: Project, severity: Severity, late: Late) -> Severity:
    """Without the Trainer it costs memory; a library does not say with which stage it is run."""
    if project.is_library:
        return Severity.INFO
    return severity if late.announced else severity.capped(Severity.WARNING)


def _message(project: Project, site: Site, load: HfLoad, late: Late) -> str:
    what = f"`{load.short}.{site.node.func.attr}`"
    if late.engine is not None:
        return (
            f"Every rank holds the whole model before `deepspeed.initialize` partitions it: {what} runs "
            "while transformers knows of no DeepSpeed configuration, so it does not partition."
        )
    at = late.announced[0]
    where = f"line {at.line}" if at.path == site.path else str(at)
    return (
        f"Every rank loads the whole model instead of its share: {what} runs before transformers knows the "
        f"DeepSpeed configuration, which `{_text(project, at)}` ({where}) makes known only later."
    )


def _related(project: Project, late: Late) -> Iterator[Note]:
    for at in late.announced[:3]:
        yield Note(at, "the DeepSpeed configuration becomes known here")
    if late.engine is not None:
        yield Note(late.engine, "partitions the loaded model")


def _together(project: Project, found: Site, late: Late) -> list[Site]:
    """The loads of trained models that one and the same statement of the function comes too late for."""
    loads = [load for load in hf_loads(project, found.function) if not load.weightless]
    sites = [site(project, found.function, load.call, load) for load in loads]
    if not _is_trained(project, found):
        return []
    return [
        s for s in sites if _is_trained(project, s) and _is_late(project, s) and _late(project, s) == late
    ]


def _is_late(project: Project, site: Site) -> bool:
    return any(_late_in(project, context, site) for context in _reaching(project, site))


def _late_in(project: Project, context: Context, site: Site) -> bool:
    """Does a run come by the load, and before it knows the configuration, as far as that shows?"""
    state, unsure = _known(project, context, site), config_order(project, context).open
    late = state is not None and state.seen is not Seen.ALWAYS and state.at <= unsure
    return late and not isinstance(comes_by(project, context, site.function, site.node), Excluded)


def _others(together: list[Site]) -> Iterator[Note]:
    for other in together[1:]:
        yield Note(other.at, "is loaded too early as well")


def fix(project: Project, site: Site, finding: Finding) -> Fix:
    """Build the arguments first; else tell transformers of the configuration before the load."""
    late = _late(project, site)
    if late.announced:
        return moved(project, site, late.announced) or shown(announced=True)
    return announce(project, site) or shown(announced=False)


RULE = Rule(
    code="MM101",
    name="zero3-load-before-ds-config",
    summary="A model is loaded before transformers knows that ZeRO-3 should partition it",
    family="sharding",
    severity=Severity.ERROR,
    since="0.1.0",
    preview=True,
    options=("strategy", *INIT_FLAGS),
    trigger=trigger,
    pattern=pattern,
    check=check,
    fix=fix,
)
