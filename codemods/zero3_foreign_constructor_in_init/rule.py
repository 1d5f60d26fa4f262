"""MM102: a third-party constructor loads weights while transformers builds a model inside zero.Init."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import libcst as cst

from mmcodemod.api import (
    Answer,
    Applicability,
    Context,
    Dismissal,
    Excluded,
    Fatal,
    Finding,
    Fix,
    Foreign,
    Note,
    Place,
    Project,
    Rule,
    Severity,
    Site,
    Strategy,
    Unclear,
    Visit,
    both,
    building,
    conclude,
    foreign_model,
    frozen,
    hf_loads,
    in_full_bits,
    runs_with,
    site,
    tests,
    transformers_gates,
    versions,
    weigh,
)

SKIPS = "ignore_mismatched_sizes"
GATHERED = transformers_gates.SIZES_GATHERED

RECIPE = (
    "load the weights after from_pretrained has returned, on every rank, inside "
    "deepspeed.zero.GatheredParameters(list(tower.parameters()), modifier_rank=0)"
)


@frozen()
class Constructor:
    """A call that may build a model and load weights into it; `foreign` is None for Hugging Face's own."""

    name: str
    foreign: Foreign | None = None


def trigger(project: Project) -> Iterator[Site]:
    """Constructors of other libraries, and Hugging Face loads, in what training reaches."""
    if project.is_library:
        return
    seen: set[int] = set()
    for frame in sorted(project.graph.external):
        for outside in project.graph.external[frame]:
            foreign = foreign_model(outside.name)
            if foreign is not None and id(outside.site) not in seen and frame.function in project.trained:
                seen.add(id(outside.site))
                yield site(project, frame.function, outside.call, Constructor(outside.name, foreign))
    for facts in project.mentioning("from_pretrained"):
        for load in hf_loads(project, facts.id):
            if facts.id in project.trained and not load.weightless:
                yield site(project, facts.id, load.call, Constructor(load.short))


def pattern(node: cst.CSTNode) -> bool:
    """A call."""
    return isinstance(node, cst.Call)


def check(project: Project, site: Site) -> Iterator[Finding | Dismissal]:
    made: Constructor = site.data
    if made.foreign is None and not _skipping(site):
        yield from _nested(project, site, made)
        return
    if made.foreign is None and not _inside(project, site):
        return
    verdict = weigh(project, site.function, lambda context: _answer(project, context, site), inside=True)
    recipe = RECIPE if made.foreign else f"leave out `{SKIPS}` where no size differs, or {RECIPE}"
    yield conclude(
        RULE.code,
        site,
        verdict,
        _message(made) if made.foreign else _nothing(made),
        ast.unparse(site.node.func),
        tuple(_related(project, site)),
        fix=Fix(recipe, Applicability.DISPLAY),
    )


def _skipping(site: Site) -> ast.expr | None:
    """What the keyword says that makes transformers leave out weights of another size."""
    if not ast.unparse(site.node.func).endswith("from_pretrained"):
        return None
    given = next((k.value for k in site.node.keywords if k.arg == SKIPS), None)
    return None if isinstance(given, ast.Constant) and not given.value else given


def _inside(project: Project, site: Site) -> list[str]:
    """The contexts in which it runs while another load builds a model."""
    runs = ((c, project.reach(c.entry)) for c in project.contexts if c.entry)
    return [c.id for c, reach in runs if reach.built_inside(site.function)]


def _nested(project: Project, site: Site, made: Constructor) -> Iterator[Dismissal]:
    """A Hugging Face load inside another one: transformers gathers while it copies the weights."""
    contexts = _inside(project, site)
    if contexts:
        note = Note(site.at, f"`{made.name}.from_pretrained` gathers the parameters that it loads")
        yield Dismissal(RULE.code, site.at, "transformers gathers by itself", (note,), tuple(contexts))


def _answer(project: Project, context: Context, site: Site) -> Answer:
    """Are weights loaded here while a model is built in zero.Init?"""
    if context.entry is None:
        return _configured(project, context, site)
    visits = building(project, context).visits.get(site.function, [])
    running = [(v, tests(project, v, site.node)) for v in visits]
    alive = [(v, undecided) for v, (dead, undecided) in running if dead is None]
    if not alive:
        stopped = next((dead for _, (dead, _) in running if dead is not None), None)
        return _outside(project, context, site, stopped)
    strategy = runs_with(project, context, (Strategy.ZERO3,))
    if isinstance(strategy, Excluded):
        return strategy
    answers = [_loading(project, context, site, v, (*v.open, *undecided)) for v, undecided in alive]
    for kind in (Fatal, Unclear):
        found = [a for a in answers if isinstance(a, kind)]
        if found:
            return max(found, key=lambda a: getattr(a, "plausible", True))
    return answers[0]


def _configured(project: Project, context: Context, site: Site) -> Answer:
    """The same of a configuration that nothing launches: some entry would run it."""
    if project.index.function(site.function).is_module:
        return Excluded(Note(site.at, "runs when its file is loaded, not while a model is built"))
    truth, shown = _loads(project, site, None)
    if truth is False:
        return Excluded(Note(site.at, f"loads no weights: {shown}"))
    return runs_with(project, context, (Strategy.ZERO3,))


def _outside(project: Project, context: Context, site: Site, stopped: Note | None) -> Answer:
    """Why the call does not run while a model is built."""
    assert context.entry is not None
    found = building(project, context)
    reach = project.reach(context.entry)
    if not found.complete:
        return Unclear("whether it runs while from_pretrained builds the model", plausible=False)
    path = reach.path(site.function, inside=True) if reach.built_inside(site.function) else []
    stopped = stopped or next((found.blocked[e.callee] for e in path if e.callee in found.blocked), None)
    if stopped is not None:
        return Excluded(Note(stopped.at, f"switched off while the model is built: `{stopped.note}`"))
    early = next((e for e in path if e in found.early), None)
    if early is not None:
        at = Place(early.caller.function.partition("::")[0], early.line)
        return Excluded(Note(at, "runs before transformers knows the DeepSpeed configuration: no zero.Init"))
    return Excluded(
        Note(_last_call(project, context, site), "built outside from_pretrained, with full parameters")
    )


def _last_call(project: Project, context: Context, site: Site) -> Place:
    assert context.entry is not None
    edges = project.reach(context.entry).path(site.function, inside=False)
    own = [e for e in edges if e.site is not None and not e.caller.function.startswith("<")]
    return Place(own[-1].caller.function.partition("::")[0], own[-1].line) if own else site.at


def _loading(
    project: Project, context: Context, site: Site, visit: Visit, undecided: tuple[Note, ...]
) -> Answer:
    """Does this call load weights in this visit?"""
    strategy = runs_with(project, context, (Strategy.ZERO3,))
    truth, shown = _loads(project, site, visit)
    if truth is False:
        return Excluded(Note(site.at, f"loads no weights: {shown}"))
    if truth is None:
        return Unclear(f"whether it loads weights: {shown}", plausible=False)
    if undecided and isinstance(strategy, Fatal):
        tests = " and ".join(f"`{n.note}`" for n in dict.fromkeys(undecided[-2:]))
        strategy = Unclear(f"{tests} ({undecided[-1].at})")
    if site.data.foreign is None:
        return both(strategy, _release(context, site))
    load = visit.load
    return both(strategy, in_full_bits(project, context, load.call, load.caller.function))


def _release(context: Context, site: Site) -> Answer:
    """Does transformers compare the sizes of what is partitioned?"""
    old = versions.below(context, "transformers", GATHERED)
    if old is False:
        note = f"from {GATHERED} on no sizes are compared under ZeRO-3"
        return Excluded(versions.pinned(context, "transformers", f": {note}") or Note(site.at, note))
    either = versions.contradiction(context, "transformers")
    fact = f"the transformers version{either}: before {GATHERED}"
    return Fatal() if old else Unclear(fact, plausible=True)  # most runs are of such a release


def _loads(project: Project, site: Site, visit: Visit | None) -> tuple[bool | None, str]:
    """(does it load, what says so); None when the tree does not tell."""
    foreign: Foreign | None = site.data.foreign
    if foreign is None:
        skips = _skipping(site)
        assert skips is not None
        return _truth(project, skips, site, visit), f"`{SKIPS}={ast.unparse(skips)}`"
    given = [(n, e) for n, at in foreign.flags if (e := _argument(site.node, n, at)) is not None]
    answers = [(_truth(project, expr, site, visit), f"`{n}={ast.unparse(expr)}`") for n, expr in given]
    for truth, shown in answers:
        if truth is not False:
            return truth, shown
    first = site.node.args[0] if site.node.args else None
    eager = isinstance(first, ast.Constant) and str(first.value).startswith(foreign.eager)
    if foreign.eager and eager and (not answers or foreign.name == "open_clip"):
        return True, ast.unparse(first) if first is not None else ""
    if answers:
        return False, answers[0][1]
    return foreign.default, "nothing asks for them" if foreign.default is False else "no argument says so"


def _argument(call: ast.Call, name: str, position: int) -> ast.expr | None:
    """The expression given for a parameter; an argument spread by * or ** does not show."""
    for keyword in call.keywords:
        if keyword.arg == name:
            return keyword.value
        if keyword.arg is None:
            return keyword.value
    if any(isinstance(a, ast.Starred) for a in call.args):
        return call.args[0]
    return call.args[position] if 0 <= position < len(call.args) else None


def _truth(project: Project, expr: ast.expr, site: Site, visit: Visit | None) -> bool | None:
    """Is an argument true: a constant, a parameter whose constant is known here, a member of an enum?"""
    if isinstance(expr, ast.Constant):
        return bool(expr.value)
    if isinstance(expr, ast.Name) and visit and expr.id in visit.constants:
        return bool(visit.constants[expr.id].value)
    names = project.names(expr, visit.frame.function if visit else site.function)
    return True if any("_Weights." in name for name in names) else None


def _message(made: Constructor) -> str:
    return (
        f"`{made.name}` loads weights into parameters of size 0: it runs while from_pretrained builds the "
        "model inside deepspeed.zero.Init, which partitions every parameter as it is made."
    )


def _nothing(made: Constructor) -> str:
    return (
        f"`{made.name}.from_pretrained` loads nothing, without an error: under ZeRO-3 each parameter has "
        f"size 0 here, so with `{SKIPS}` transformers before {GATHERED} leaves out every weight of the "
        "checkpoint."
    )


def _related(project: Project, site: Site) -> Iterator[Note]:
    for context in project.contexts:
        visits = building(project, context).visits.get(site.function, []) if context.entry else []
        for visit in visits[:1]:
            at = Place(visit.load.caller.function.partition("::")[0], visit.load.line)
            yield Note(at, "from_pretrained builds the model in zero.Init")
            return


RULE = Rule(
    code="MM102",
    name="zero3-foreign-constructor-in-init",
    summary="A third-party constructor loads weights while from_pretrained builds a partitioned model",
    family="sharding",
    severity=Severity.ERROR,
    since="0.1.0",
    options=("strategy",),
    trigger=trigger,
    pattern=pattern,
    check=check,
)
