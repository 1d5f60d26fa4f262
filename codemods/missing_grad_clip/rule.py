"""MM301: a training loop of its own that never clips gradients."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace

import libcst as cst

from mmcodemod.api import (
    BACKWARDS,
    CLIPS,
    MADE_BY_PLUGIN,
    MISSING,
    STEPS,
    Answer,
    ClippedRun,
    Context,
    Dismissal,
    Excluded,
    Fatal,
    Finding,
    Grad,
    GradCall,
    Gradients,
    Hand,
    Note,
    Origin,
    Place,
    Project,
    Rule,
    Setting,
    Settings,
    Severity,
    Site,
    StepHook,
    Strategy,
    Unclear,
    ValueOrigin,
    accelerate_default,
    both,
    chosen_way,
    clamped,
    clipped_runs,
    comes_by,
    conclude,
    config_site,
    decided_against,
    engine_call,
    flow_of,
    given_clipping,
    gradients_by_hand,
    idle_clips,
    inference_only,
    inline_tests,
    loaded_back,
    made_up,
    plugin_clips,
    private_gradients,
    site,
    small_steps,
    step_hooks,
    timed,
    told_clipping,
    trained,
    trained_kinds,
    weigh,
)

from .codemod import Loop, fix

MAX_LEVELS = 5
CLIPPING_KEY = "deepspeed.gradient_clipping"
_MEASURES = re.compile(r"(^|[/_.])(bench\w*|profil\w*|measure\w*|tests?|conftest)($|[/_.])")


def trigger(project: Project) -> Iterator[Site]:
    """The first optimizer step of every loop that also runs the backward pass, and what the Trainer clips."""
    yield from _own_loops(project)
    yield from (config_site(run.at, run) for run in project.get(clipped_runs))


def _own_loops(project: Project) -> Iterator[Site]:
    gradients = project.get(Gradients)
    seen: set[ast.Call] = set()
    for facts in project.mentioning(".step("):
        if _MEASURES.search(facts.path) or _MEASURES.search(facts.name) or inference_only(project, facts):
            continue
        for step in gradients.own(facts.id):
            loop = _loop(project, gradients, step) if step.kind in STEPS else None
            if step.kind is Grad.ENGINE:
                loop = _made(facts.id, step, [step])
            if loop is not None and loop.steps[0].call not in seen:
                seen.update(s.call for s in loop.steps)
                loop = _without_idle(project, _from_taken(project, loop))
                first = loop.steps[0]
                yield site(project, first.function, first.call, loop)


def pattern(node: cst.CSTNode) -> bool:
    """A call."""
    return isinstance(node, cst.Call)


# -- the loop ------------------------------------------------------------------------------------------


def _loop(project: Project, gradients: Gradients, step: GradCall) -> Loop | None:
    """The smallest piece of code around the step that also runs the backward pass, if a loop runs it."""
    todo: list[tuple[str, ast.Call, bool]] = [(step.function, step.call, False)]
    seen: set[str] = set()
    while todo:
        function, node, _ = todo.pop(0)
        if function in seen or len(seen) > MAX_LEVELS:
            continue
        seen.add(function)
        for scope in _scopes(project, function, node):
            found = gradients.inside(function, scope)
            if any(g.kind in (*BACKWARDS, Grad.ENGINE) for g in found):
                repeats = scope is not None or _repeated(project, function)
                return _made(function, step, found) if repeats else None
        todo += [(e.caller.function, e.call, True) for e in project.callers(function) if e.site is not None]
    return None


def _from_taken(project: Project, loop: Loop) -> Loop:
    """The loop with the first step that a run takes in front, of those in arms that exclude each other, and
    with the others that a run may take."""
    first, *others = loop.steps
    apart = [s for s in others if _part_ways(project, first, s)]
    taken = [s for s in (first, *apart) if _taken(project, loop, s)] if apart else []
    ahead = (taken or [first])[0]
    steps = (ahead, *(s for s in loop.steps if s is not ahead))
    return replace(loop, steps=steps, beside=tuple(taken[1:]))


def _without_idle(project: Project, loop: Loop) -> Loop:
    """The loop without clips that change no gradient which its step uses."""
    idle = tuple(idle_clips(project, loop.steps, loop.passes, loop.clips))
    return replace(loop, clips=(), idle=idle) if idle else loop


def _part_ways(project: Project, one: GradCall, other: GradCall) -> bool:
    """Do both stand in one function, on the two sides of a test?"""
    if one.function != other.function or one.via or other.via:
        return False
    return flow_of(project, one.function).excludes(one.call, other.call)


def _taken(project: Project, loop: Loop, step: GradCall) -> bool:
    """May a run that gets to the loop take the step?"""
    runs = [c for c in project.contexts if c.entry and loop.function in project.reach(c.entry)]
    return any(not isinstance(comes_by(project, c, step.function, step.call), Excluded) for c in runs)


def _scopes(project: Project, function: str, node: ast.Call) -> list[ast.stmt | None]:
    """The loops around a node, innermost first, then the whole function."""
    return [*flow_of(project, function).loops(node), None]


def _repeated(project: Project, function: str, depth: int = 0) -> bool:
    """Does a caller run the function in a loop?"""
    for edge in project.callers(function):
        if edge.site is None or depth > MAX_LEVELS:
            continue
        if flow_of(project, edge.caller.function).loops(edge.call):
            return True
        if _repeated(project, edge.caller.function, depth + 1):
            return True
    return False


def _made(function: str, step: GradCall, found: list[GradCall]) -> Loop:
    def of(*kinds: Grad) -> tuple[GradCall, ...]:
        return tuple(g for g in found if g.kind in kinds)

    functions = dict.fromkeys([function, *(g.function for g in found), *(f for g in found for _, f in g.via)])
    steps = sorted(of(*STEPS), key=lambda g: (g.function != step.function, g.call.lineno))
    return Loop(
        function,
        tuple(steps) or (step,),
        of(*BACKWARDS),
        of(*CLIPS),
        of(Grad.ENGINE),
        of(Grad.UNSCALE),
        tuple(functions),
    )


# -- judging -------------------------------------------------------------------------------------------


def check(project: Project, site: Site) -> Iterator[Finding | Dismissal]:
    if isinstance(site.data, ClippedRun):
        ids = tuple(c.id for c in site.data.contexts)
        yield Dismissal(RULE.code, site.at, site.data.reason, site.data.evidence, ids)
        return
    loop: Loop = site.data
    if not loop.passes:  # an engine steps and clips as its configuration says
        for at in project.get(given_clipping)[:1]:
            note = Note(at, _text(project, at))
            yield Dismissal(RULE.code, site.at, "the DeepSpeed engine clips", (note,))
        return
    quiet = _quiet(project, loop)
    verdict = weigh(project, loop.function, lambda context: quiet or _judge(project, loop, context))
    if verdict.severity is not None and project.is_library:
        verdict = replace(verdict, severity=Severity.INFO)
    yield conclude(
        RULE.code,
        site,
        verdict,
        _message(loop),
        ast.unparse(site.node),
        _related(project, loop),
    )


def _quiet(project: Project, loop: Loop) -> Answer | None:
    """What makes the loop safe in every context: own clipping of the optimizer, or clipping by hand."""
    for step in loop.steps:
        for built, name in _bounded(project, step):
            at = project.place(built.function.partition("::")[0], built.expr)
            return Excluded(Note(at, f"{name.rpartition('.')[2]} bounds its own updates"))
    for function in _by_hand(project, loop):
        facts = project.index.function(function)
        return Excluded(Note(Place(facts.path, facts.line), f"`{facts.name}` changes gradients by hand"))
    return None


def _builders(project: Project, step: GradCall) -> list[ValueOrigin]:
    return trained.builders(project, step.optimizer, step.function) if step.optimizer else []


def _bounded(project: Project, step: GradCall) -> Iterator[tuple[ValueOrigin, str]]:
    """Builders of an optimizer that bounds its own update, where all are such: else the run decides."""
    built = _builders(project, step)
    named = [(b, trained.bounding(project, b)) for b in built]
    return ((b, n) for b, names in named for n in names if all(names for _, names in named))


def _bounded_in(project: Project, loop: Loop, context: Context) -> Answer | None:
    """Of several optimizers that tests choose among, does the run take one that bounds its own updates? Of
    what stays open, that one may be it."""
    for step in (s for s in loop.steps if s.optimizer is not None):
        every = _builders(project, step)
        known = [b for b in every if trained.bounding(project, b)]
        taken = [b for b in every if _may_build(project, context, b)] if known else []
        bounded = [b for b in known if b in taken]
        if bounded:
            at = project.place(bounded[0].function.partition("::")[0], bounded[0].expr)
            if len(bounded) == len(taken):
                return Excluded(Note(at, "the run takes an optimizer that bounds its own updates"))
            return Unclear(f"which optimizer the run takes: that of {at} bounds its own updates")
    return None


def _may_build(project: Project, context: Context, built: ValueOrigin) -> bool:
    return not isinstance(comes_by(project, context, built.function, built.expr), Excluded)


def _by_hand(project: Project, loop: Loop) -> Iterator[str]:
    """Functions of the loop, its callers and its hooks that change gradients without a library."""
    callers = [e.caller.function for f in loop.functions for e in project.callers(f)]
    every = dict.fromkeys([*loop.functions, *_reached(project, loop), *callers])
    hands = [(f, gradients_by_hand(project.index.function(f))) for f in every if not f.startswith("<")]
    measured = any(Hand.NORM in found for _, found in hands)
    for function, found in hands:
        if Hand.BOUNDS in found or (measured and Hand.SCALES in found):
            yield function


def _reached(project: Project, loop: Loop) -> list[str]:
    """Functions that the loop's function calls, and those that they call."""
    found = dict.fromkeys(loop.functions)
    for function in [*found, *[c for f in found for c in _callees(project, f)]]:
        found.update(dict.fromkeys(_callees(project, function)))
    return list(found)


def _callees(project: Project, function: str) -> list[str]:
    edges = [e for frame in project.frames(function) for e in project.graph.edges.get(frame, ())]
    return [e.callee.function for e in edges if e.site is not None]


def _judge(project: Project, loop: Loop, context: Context) -> Answer:
    path, _, name = loop.function.partition("::")
    if name == "<module>" and context.entry and context.entry.path != path:
        return Excluded(Note(Place(path, loop.steps[0].call.lineno), "runs only as a script of its own"))
    settings = Settings(project, context)
    off: list[Setting] = []
    for hook in _hooks(project, loop, context):
        clips = [g for g in project.get(Gradients).inside(hook.hooked) if g.kind in CLIPS]
        if any(_switched_off(project, settings, clip) is None for clip in clips):
            at = project.place(hook.function.partition("::")[0], hook.node)
            return Excluded(Note(at, "the optimizer clips the gradients at its step"))
    for clip in loop.clips:
        switch = _switched_off(project, settings, clip)
        if switch is None:
            at = project.place(clip.path, clip.call)
            return Excluded(Note(at, f"clips the gradients: {project.line(at.path, at.line)}"))
        off += switch
    engine = _engine(project, loop, context) or private_gradients(project, context)
    if engine is not None:
        return engine
    comes = comes_by(project, context, loop.function, loop.steps[0].call)
    if isinstance(comes, Excluded):
        return comes
    idle = [decided_against(project, context, p.function, p.call) for p in loop.passes]
    if all(idle) and idle:
        return Unclear(f"whether anything is trained: `{idle[0]}` keeps the backward pass from running")
    if loop.clips:
        chosen = _opted_out(off, context)
        if chosen is not None:
            return chosen
    quiet = _bounded_in(project, loop, context) or _model(project, loop, context)
    quiet = quiet or _small(project, loop, context)
    quiet = quiet or _clamped(project, loop) or _undone(project, loop)
    answer = quiet or _accelerate(project, loop, context) or Fatal()
    first = loop.steps[0]
    node, function = (*first.via, (first.call, first.function))[0]
    return both(answer, chosen_way(project, context, function, node))


def _hooks(project: Project, loop: Loop, context: Context) -> Iterator[StepHook]:
    """What the run may have the optimizers of the loop do at each step."""
    reach = project.reach(context.entry) if context.entry else None
    for hook in project.get(step_hooks):
        if (reach is not None and hook.function not in reach) or not _is_of(project, hook, loop):
            continue
        if not isinstance(comes_by(project, context, hook.function, hook.node), Excluded):
            yield hook


def _is_of(project: Project, hook: StepHook, loop: Loop) -> bool:
    """May the hook be one of an optimizer that the loop steps?"""
    hooked = trained.builders(project, hook.optimizer, hook.function) if hook.optimizer else []
    stepped = [_builders(project, step) for step in loop.steps]
    return not hooked or any(not built or set(built) & set(hooked) for built in stepped)


def _small(project: Project, loop: Loop, context: Context) -> Answer | None:
    """Adam with a tiny learning rate can hardly be thrown off by one batch."""
    rates = [small_steps(project, context, s.optimizer, s.function) for s in loop.steps if s.optimizer]
    if len(rates) != len(loop.steps) or None in rates:
        return None
    fact = f"what a bad batch can do: Adam moves a weight by about the learning rate, here {rates[0]:g}"
    return Unclear(fact, plausible=False)


def _clamped(project: Project, loop: Loop) -> Answer | None:
    """Weights that the loop holds between bounds cannot be thrown far off."""
    for function in (f for f in loop.functions if not f.endswith("::<module>")):
        call = clamped(project.index.function(function).node)
        if call is not None:
            at = project.place(function.partition("::")[0], call)
            return Unclear(f"what a bad batch can do: {at} holds parameters between bounds", plausible=False)
    return None


def _undone(project: Project, loop: Loop) -> Answer | None:
    """What loads the weights back keeps nothing of what a bad batch did, nor does what takes the time."""
    if any(timed(project, step.function, step.call) for step in loop.steps):
        fact = "what stays of the loop: it takes the time of steps, and its file neither loads data nor saves"
        return Unclear(fact, plausible=False)
    drawn = next((at for step in loop.steps if (at := made_up(project, step.function, step.call))), None)
    if drawn is not None:
        fact = f"what stays of the loop: {drawn} makes up its data, and nothing is kept or learned of it"
        return Unclear(fact, plausible=False)
    for function in (f for f in loop.functions if not f.startswith("<")):
        at = loaded_back(project, function)
        if at is not None:
            return Unclear(f"what stays of the loop: {at} loads the weights back", plausible=False)
    return None


def _switched_off(project: Project, settings: Settings, clip: GradCall) -> list[Setting] | None:
    """The settings that switch a clip off in this context; None when it may run."""
    gradients = project.get(Gradients)
    for node, function in (*clip.via, (clip.call, clip.function)):
        tests = ((t, gradients.as_it_stands(t, o)) for t, o in gradients.conditions(function, node).values())
        inside = inline_tests(flow_of(project, function).statement_of(node), node)
        for test, outcome in (*tests, *inside):
            if outcome not in settings.truths(test, function):
                read = sorted(settings.read_by(test, function), key=str)
                return [s for s in read if _is_off(s)] or read
    limit = _limit(clip.call)
    values = settings.of(limit, clip.function) if limit is not None else frozenset()
    if values and all(s.value == float("inf") for s in values):
        return [*values]
    return None


def _is_off(setting: Setting) -> bool:
    value = setting.value
    return value is None or (isinstance(value, (int, float)) and value <= 0)


def _limit(call: ast.Call) -> ast.expr | None:
    """The `max_norm` of a clip."""
    for keyword in call.keywords:
        if keyword.arg in ("max_norm", "clip_value"):
            return keyword.value
    return call.args[1] if len(call.args) > 1 else None


def _opted_out(off: list[Setting], context: Context) -> Answer | None:
    """Somebody decided against clipping, or may still decide for it."""
    for setting in off:
        if setting.given or not (setting.value is None or setting.value is False):
            written = setting.name if setting.flag else "the code"
            return Unclear(f"{written}, which switches clipping off on purpose", plausible=False)
    flags = [s.flag for s in off if s.flag]
    if flags and context.origin is not Origin.LAUNCHED:
        return Unclear(f"whether the run is started with --{flags[0]}, which nothing in the tree sets")
    return None


def _engine(project: Project, loop: Loop, context: Context) -> Answer | None:
    """DeepSpeed clips as its configuration says."""
    accelerated = any(p.accelerated for p in loop.passes) or bool(loop.engines)
    if not accelerated:
        return None
    places = project.get(given_clipping)
    option = context.option(CLIPPING_KEY)
    if option.value in (0, 0.0) and option.at:
        return Unclear(f"gradient_clipping at {option.at}, which switches clipping off", plausible=False)
    if option.value is not MISSING and option.at:
        return Excluded(Note(option.at, _text(project, option.at)))
    if places:
        return Excluded(Note(places[0], "DeepSpeed is given gradient_clipping"))
    plugged = context.option("deepspeed").value == MADE_BY_PLUGIN  # by which accelerate may clip
    if (context.strategy.is_deepspeed and not plugged) or loop.engines:
        at = context.strategy_from.at or Place(context.entry.path if context.entry else "", 1)
        return Excluded(Note(at, "DeepSpeed's engine steps: its gradient_clipping decides (MM303)"))
    return plugin_clips(project, context)


def _text(project: Project, at: Place) -> str:
    """The text of a line of any file of the tree."""
    lines = project.tree.read_bytes(at.path).decode(errors="replace").splitlines()
    return lines[at.line - 1].strip() if 0 < at.line <= len(lines) else "gradient_clipping"


def _accelerate(project: Project, loop: Loop, context: Context) -> Answer | None:
    """Under Accelerate the configuration may hand the step to DeepSpeed."""
    if context.strategy is not Strategy.UNKNOWN or not any(p.accelerated for p in loop.passes):
        return None
    own = accelerate_default.names_none(context)
    clips = project.get(accelerate_default.meant).get(CLIPPING_KEY) if own else None
    if clips is not None and isinstance(clips.value, (int, float)) and clips.value > 0:
        fact = f"the user's accelerate configuration: with that of the tree ({clips.at}) DeepSpeed clips"
        return Unclear(fact, plausible=False)
    engine = engine_call(project, context.entry)
    if engine is not None:
        fact = f"the accelerate configuration: {engine} needs DeepSpeed's engine, which may clip"
        return Unclear(fact, plausible=False)
    asked = accelerate_default.deepspeed_asked(context) or accelerate_default.named_in_vain(context)
    if asked:
        return Unclear(f"{asked}: DeepSpeed may clip", plausible=False)
    if own and project.get(accelerate_default.configurations):
        return Unclear("the accelerate configuration, which the launch does not name: DeepSpeed may clip")
    told = told_clipping(project, context)
    if told is not None:
        fact = f"the user's accelerate configuration: {told} tells how to set it up, with gradient clipping"
        return Unclear(fact, plausible=False)
    # DeepSpeed has to be asked for; the likely run is without it, unless the tree has such a configuration
    fact = "the accelerate configuration, which is not in the tree: DeepSpeed may clip"
    return Unclear(fact, plausible=CLIPPING_KEY not in project.get(accelerate_default.meant))


def _model(project: Project, loop: Loop, context: Context) -> Answer | None:
    """Clipping is the rule for transformers; elsewhere it is a choice."""
    if len(loop.optimizers) > 1:
        return Unclear("how the models of several optimizers train together", plausible=False)
    found = [k for step in loop.steps for k in _kinds(project, step, context)]
    if found and all(k.kind.name == "transformer" for k in found):
        asked = next((k.open for k in found if k.open), "")
        fact = f"the model, of which `{asked}` chooses the kind: transformers need clipping"
        return Unclear(fact, plausible=False) if asked else None
    if any(k.kind.name == "convolution" for k in found):
        return Unclear("the model, which is convolutional: clipping is a choice there", plausible=False)
    return Unclear("the model, whose layers do not show: transformers need clipping", plausible=False)


def _kinds(project: Project, step: GradCall, context: Context) -> list[trained_kinds.Trained]:
    built = _builders(project, step)
    owners = [owner for b in built for owner in trained.owners(project, b)]
    return [trained_kinds.kind_in(project, context, owner) for owner in owners]


def _message(loop: Loop) -> str:
    if loop.clips:
        why = "the clipping that the code has is switched off"
    elif loop.idle:
        line = loop.idle[0].call.lineno
        why = f"the clip in line {line} does not stand between the two, where alone it would change them"
    elif loop.unscales:
        why = "`unscale_` takes the loss scale off, but nothing clips"
    else:
        why = "nothing clips between the two, and plain loops clip only if they say so"
    return (
        f"{_steps(loop)} uses the gradients of the backward pass at full size: {why}, so one bad batch can "
        "throw the weights far off."
    )


def _steps(loop: Loop) -> str:
    """The step that the finding stands at; also those on other sides of a test that nothing decides."""
    text = f"`{ast.unparse(loop.steps[0].call)}`"
    others = [f"`{ast.unparse(s.call)}` in line {s.call.lineno}" for s in loop.beside]
    return f"Whichever side the run takes, {' or '.join([text, *others])}" if others else text


def _related(project: Project, loop: Loop) -> tuple[Note, ...]:
    notes = [Note(project.place(p.path, p.call), "the backward pass") for p in loop.passes[:1]]
    notes += [Note(project.place(c.path, c.call), "changes nothing here") for c in loop.idle[:2]]
    return (*notes, *(Note(project.place(c.path, c.call), "switched off") for c in loop.clips[:2]))


RULE = Rule(
    code="MM301",
    name="missing-grad-clip",
    summary="A training loop that never clips gradients",
    family="numerics",
    severity=Severity.WARNING,
    since="0.1.0",
    options=("deepspeed.gradient_clipping", "strategy"),
    trigger=trigger,
    pattern=pattern,
    check=check,
    fix=fix,
)
