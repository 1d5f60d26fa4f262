"""MM302: gradients are clipped while they are still multiplied by the loss scale."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import libcst as cst

from mmcodemod.api import (
    BACKWARDS,
    Answer,
    Context,
    Dismissal,
    Excluded,
    Fatal,
    Finding,
    Grad,
    GradCall,
    Gradients,
    Note,
    Origin,
    Origins,
    Project,
    Rule,
    Setting,
    Settings,
    Severity,
    Site,
    Unclear,
    before,
    comes_by,
    conclude,
    handed_tests,
    other_passes,
    scaled_limit,
    site,
    tests_around,
    trained,
    weigh,
)

from .codemod import Clip, Conditions, Level, fix

MAX_LEVELS = 4
HALF = ("torch.float16", "torch.half")
WIDER = ("torch.bfloat16", "torch.float32", "torch.float")


def trigger(project: Project) -> Iterator[Site]:
    """Every library clip that follows `scaler.scale(loss).backward()`, the first of each pass."""
    gradients = project.get(Gradients)
    seen: set[object] = set()
    for facts in project.mentioning("clip_grad"):
        for call in gradients.own(facts.id):
            if call.kind is Grad.CLIP:
                for clip in _scaled(project, gradients, call):
                    key = (clip.home.function, id(clip.backward.call), clip.sure, _target(clip))
                    if key not in seen:
                        seen.add(key)
                        yield site(project, clip.home.function, clip.home.node, clip)


def _target(clip: Clip) -> str:
    optimizer = clip.step.optimizer if clip.step else None
    return ast.unparse(optimizer) if optimizer else ""


def pattern(node: cst.CSTNode) -> bool:
    """A call."""
    return isinstance(node, cst.Call)


# -- from the clip up to the backward pass ---------------------------------------------------------------


def _scaled(project: Project, gradients: Gradients, call: GradCall) -> Iterator[Clip]:
    """Climb from the clip through its callers to the nearest backward pass."""
    todo: list[tuple[Level, Level | None, GradCall | None]] = [(Level(call.function, call.call), None, None)]
    seen: set[object] = set()
    while todo:
        level, home, step = todo.pop(0)
        if level.function in seen or len(seen) > MAX_LEVELS:
            continue
        seen.add(level.function)
        if home is None and (step := _next_step(project, gradients, level, call)):
            home = level
        moments = [g for g in gradients.inside(level.function) if before(g.top, level.node)]
        passes = _reaching(project, gradients, level, moments)
        scaled = next((p for p in passes if p.kind is Grad.SCALED_BACKWARD), None)
        unscale = _unscale(gradients, moments, scaled, step)
        if scaled:
            sure = unscale is not None and _always(gradients, level, unscale, scaled)
            start = Level(call.function, call.call)
            yield Clip(call, home or start, level, scaled, step, unscale, sure)
        if passes or unscale:
            continue
        for edge in project.callers(level.function):
            if edge.site is not None:
                todo.append((Level(edge.caller.function, edge.call), home, step))


def _reaching(
    project: Project, gradients: Gradients, level: Level, moments: list[GradCall]
) -> list[GradCall]:
    """The backward passes whose gradients the clip sees, the last first: no step and no other pass that
    always runs comes between."""
    here = gradients.conditions(level.function, level.node)
    found: list[GradCall] = []
    closed: list[Conditions] = []
    for moment in sorted(moments, key=lambda g: (g.top.lineno, g.top.col_offset), reverse=True):
        at = {**gradients.conditions(level.function, moment.top), **handed_tests(project, moment)}
        if moment.kind not in (*BACKWARDS, Grad.SCALER_STEP, Grad.STEP) or _exclusive(at, here):
            continue
        if any(not _exclusive(at, other) for other in closed):
            break
        if moment.kind in BACKWARDS:
            found.append(moment)
        closed.append(at)
    return found


def _exclusive(one: Conditions, other: Conditions) -> bool:
    """Can the two places not run in the same pass?"""
    return any(text in other and other[text][1] is not outcome for text, (_, outcome) in one.items())


def _next_step(project: Project, gradients: Gradients, level: Level, clip: GradCall) -> GradCall | None:
    """The scaler's step after the clip; with several optimizers the one of the model that is clipped."""
    own = gradients.own(level.function)
    steps = [g for g in own if g.kind is Grad.SCALER_STEP and before(level.node, g.call) and g.optimizer]
    if len({ast.unparse(g.optimizer) for g in steps if g.optimizer}) > 1 and clip.function == level.function:
        text = _clipped(clip.call)
        fitting = [
            g
            for g in steps
            if g.optimizer and trained.model_here(project, g.optimizer, level.function) == text
        ]
        return fitting[0] if fitting else None
    return steps[0] if steps else None


def _clipped(call: ast.Call) -> str:
    """`model` in `clip_grad_norm_(model.parameters(), ...)`."""
    first = call.args[0] if call.args else None
    if isinstance(first, ast.Call) and isinstance(first.func, ast.Attribute):
        return ast.unparse(first.func.value)
    return ""


def _unscale(
    gradients: Gradients, moments: list[GradCall], scaled: GradCall | None, step: GradCall | None
) -> GradCall | None:
    """The `unscale_` between the backward pass and the clip, of the optimizer that the step is for."""
    others = _other_optimizers(gradients, step)
    found = [
        g
        for g in moments
        if g.kind is Grad.UNSCALE
        and (scaled is None or before(scaled.top, g.top))
        and not (g.optimizer and ast.unparse(g.optimizer) in others)
    ]
    return found[-1] if found else None


def _other_optimizers(gradients: Gradients, step: GradCall | None) -> set[str]:
    """The optimizers that the same function steps besides this one."""
    if step is None or step.optimizer is None:
        return set()
    own = [g.optimizer for g in gradients.own(step.function) if g.kind is Grad.SCALER_STEP]
    return {ast.unparse(o) for o in own if o} - {ast.unparse(step.optimizer)}


def _always(gradients: Gradients, level: Level, unscale: GradCall, scaled: GradCall) -> bool:
    """Does the `unscale_` run whenever scaled gradients reach the clip?"""
    known = set(gradients.conditions(level.function, level.node))
    known |= gradients.conditions(level.function, scaled.top).keys()
    known |= _of_object(gradients, level.function, scaled) | handed_tests(gradients.project, scaled).keys()
    return all(text in known for text in gradients.conditions(level.function, unscale.top))


def _of_object(gradients: Gradients, function: str, scaled: GradCall) -> set[str]:
    """The tests in another method around its scaled backward pass, on what the two methods share: `self`."""
    if scaled.function == function or scaled.function.rpartition(".")[0] != function.rpartition(".")[0]:
        return set()
    found = gradients.conditions(scaled.function, scaled.call).items()
    return {text for text, (test, _) in found if _names(test) == {"self"}}


def _names(test: ast.expr) -> set[str]:
    return {node.id for node in ast.walk(test) if isinstance(node, ast.Name)}


# -- judging -------------------------------------------------------------------------------------------


def check(project: Project, site: Site) -> Iterator[Finding | Dismissal]:
    clip: Clip = site.data
    if clip.unscale and clip.sure:
        at = project.place(clip.unscale.path, clip.unscale.call)
        note = Note(at, project.line(at.path, at.line))
        yield Dismissal(RULE.code, site.at, "the gradients are unscaled before they are clipped", (note,))
        return
    limit = scaled_limit(project, clip.call.call, clip.call.function)
    if limit is not None:
        note = Note(project.place(clip.call.path, limit), "the loss scale is in the limit, too")
        yield Dismissal(RULE.code, site.at, "the limit is multiplied by the loss scale", (note,))
        return
    verdict = weigh(project, clip.top.function, lambda context: _judge(project, clip, context))
    yield conclude(
        RULE.code,
        site,
        verdict,
        _message(site, clip),
        ast.unparse(clip.home.node),
        _related(project, clip),
    )


def _judge(project: Project, clip: Clip, context: Context) -> Answer:
    """Are the gradients scaled in this run?"""
    path, _, name = clip.top.function.partition("::")
    if name == "<module>" and context.entry and context.entry.path != path:
        return Excluded(Note(project.place(path, clip.top.node), "runs only as a script of its own"))
    comes = comes_by(project, context, clip.home.function, clip.home.node)
    if isinstance(comes, Excluded) and context.origin is Origin.LAUNCHED:
        return comes
    settings = Settings(project, context)
    facts = []
    if clip.unscale:
        facts.append(f"whether `{ast.unparse(clip.unscale.call)}` ran before")
    shared = project.get(Gradients).conditions(clip.top.function, clip.top.node)
    held = {id(test) for test, _ in shared.values() if _of_the_loop(test)}
    for function, test, needed in _asked(project, clip):
        truths = settings.truths(test, function)
        if needed not in truths:
            return _off(project, context, function, test, settings.read_by(test, function))
        if len(truths) > 1 and _is_switch(test) and id(test) not in held:
            facts.append(f"whether `{ast.unparse(test)}` is {needed}")
    scaler = _scaler(project, clip, context, settings)
    if isinstance(scaler, Unclear):
        facts.append(scaler.fact)
    facts += filter(None, [other_passes(project, context, clip.backward)])
    return scaler if isinstance(scaler, Excluded) else _answer(facts)


def _asked(project: Project, clip: Clip) -> Iterator[tuple[str, ast.expr, bool]]:
    """The tests around the scaled backward pass, those in the helper that runs it included."""
    top, inner = (clip.top.function, clip.backward.top), (clip.backward.function, clip.backward.call)
    for function, node in (top,) if top[0] == inner[0] else (top, inner):
        for test, needed in tests_around(project, function, node):
            yield function, test, needed


def _answer(facts: list[str]) -> Answer:
    """Loud only where the scaler is seen to be switched on, and nothing else is open."""
    return Unclear(" and ".join(dict.fromkeys(facts)), plausible=False) if facts else Fatal()


def _is_switch(test: ast.expr) -> bool:
    """Does it ask for a setting, also by name in a dictionary, and not for what changes while training?"""
    changing = (ast.Call, ast.BinOp, ast.Subscript)
    return not any(isinstance(n, changing) and not _by_key(n) for n in ast.walk(test))


def _of_the_loop(test: ast.expr) -> bool:
    """`split == "train"`, `tokens == 0`: what the loop is at, where the clip stands under the same test."""
    match test:
        case ast.Compare(ast.Name(), [_], [ast.Constant(value)]):
            return value is not None
    return False


def _by_key(node: ast.AST) -> bool:
    """`settings["amp"]`, `settings.get("amp")`."""
    match node:
        case ast.Subscript(slice=ast.Constant(value=str())):
            return True
        case ast.Call(func=ast.Attribute(attr="get"), args=[ast.Constant(value=str()), *_]):
            return True
    return False


def _scaler(project: Project, clip: Clip, context: Context, settings: Settings) -> Answer | None:
    """Excluded when every scaler that may be here is switched off, unclear when it does not show."""
    scale = clip.backward.receiver
    if not isinstance(scale, ast.Call) or not isinstance(scale.func, ast.Attribute):
        return None
    answers: list[Answer | None] = []
    for origin in Origins(project, settings.truths).of(scale.func.value, clip.backward.function):
        if isinstance(origin.expr, ast.Constant) and origin.expr.value is None:
            continue  # None scales nothing
        enabled = _enabled(origin.expr)
        if enabled is None:
            answers.append(None)
            continue
        known = _half(project, settings, enabled, origin.function)
        truths = known or settings.truths(enabled, origin.function)
        if truths == {False}:
            read = settings.read_by(enabled, origin.function)
            answers.append(_off(project, context, origin.function, enabled, read))
        elif truths != {True}:
            text = ast.unparse(enabled)
            answers.append(Unclear(f"whether `{text}` is true, which switches the scaler on"))
    found = [a for a in answers if a]
    return found[0] if found and None not in answers else None


def _half(project: Project, settings: Settings, test: ast.expr, function: str) -> frozenset[bool]:
    """What `dtype == torch.float16` comes to where the name can only be types of torch; else nothing."""
    match test:
        case ast.Compare(left, [ast.Eq()], [right]) if ast.unparse(right) in HALF:
            found = {ast.unparse(o.expr) for o in Origins(project, settings.truths).of(left, function)}
            return frozenset(text in HALF for text in found if found <= {*HALF, *WIDER})
    return frozenset()


def _enabled(expr: ast.expr) -> ast.expr | None:
    """The `enabled` of a GradScaler."""
    keywords = expr.keywords if isinstance(expr, ast.Call) else []
    return next((k.value for k in keywords if k.arg == "enabled"), None)


def _off(
    project: Project, context: Context, function: str, test: ast.expr, settings: frozenset[Setting]
) -> Answer:
    """No loss scale here; a flag that somebody could still give leaves it open where nothing is launched."""
    flags = sorted(s.flag for s in settings if s.flag and not s.given)
    if flags and context.origin is not Origin.LAUNCHED:
        return Unclear(f"whether the run is started with --{flags[0]}")
    places = sorted(s.at for s in settings if s.at and (s.given or s.flag))
    at = places[0] if places else project.place(function.partition("::")[0], test)
    return Excluded(
        Note(at, f"the loss is not scaled: {project.line(at.path, at.line) or ast.unparse(test)}")
    )


def _message(site: Site, clip: Clip) -> str:
    name = ast.unparse(clip.call.call.func).rpartition(".")[2]
    through = "" if clip.home.node is clip.call.call else f" in `{clip.call.function.partition('::')[2]}`"
    return (
        f"`{name}`{through} clips gradients that are still multiplied by the loss scale (65,536 at first), "
        "so nearly every step is cut to the limit divided by the scale: SGD hardly learns, and Adam learns "
        "without the clip that was meant."
    )


def _related(project: Project, clip: Clip) -> tuple[Note, ...]:
    notes = [Note(project.place(clip.backward.path, clip.backward.call), "the loss is scaled here")]
    if clip.home.node is not clip.call.call:
        notes.append(Note(project.place(clip.call.path, clip.call.call), "the gradients are clipped here"))
    return tuple(notes)


RULE = Rule(
    code="MM302",
    name="clip-before-unscale",
    summary="Gradients are clipped while they are still multiplied by the loss scale",
    family="numerics",
    severity=Severity.ERROR,
    since="0.1.0",
    preview=True,
    trigger=trigger,
    pattern=pattern,
    check=check,
    fix=fix,
)
