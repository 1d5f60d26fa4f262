"""MM315: `loss.backward()` where the wrapper of the model has a backward pass of its own."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import libcst as cst

from mmcodemod.api import (
    MISSING,
    Answer,
    Context,
    Dismissal,
    Excluded,
    Fatal,
    Finding,
    Note,
    Project,
    Rule,
    Settings,
    Severity,
    Site,
    Strategy,
    Unclear,
    both,
    comes_to,
    conclude,
    deepspeed_gates,
    doubted,
    plain_backward,
    several_ranks,
    site,
    versions,
    weigh,
    wrappers,
)

from .codemod import fix

Raw = plain_backward.Raw

MIXED = "mixed_precision"
UNSEEN = (None, "deepspeed_plugin", "deepspeed_plugins")
OPTIONS = (f"launcher.{MIXED}", f"accelerate.{MIXED}")
PLAIN = frozenset(("no", "bf16", "fp8", False, None))


def trigger(project: Project) -> Iterator[Site]:
    """Backward passes of a tensor whose loss and whose step belong to one wrapper."""
    for raw in project.get(plain_backward.plain_backwards):
        yield site(project, raw.function, raw.call, raw)


def pattern(node: cst.CSTNode) -> bool:
    """A call."""
    return isinstance(node, cst.Call)


def check(project: Project, site: Site) -> Iterator[Finding | Dismissal]:
    raw: Raw = site.data
    same = plain_backward.twice(project, raw)
    if same is not None:
        yield Dismissal(RULE.code, site.at, same.note, (same,))
        return
    verdict = weigh(project, site.function, lambda context: _judge(project, context, site))
    origin = raw.wrap.origin
    at = project.place(origin.function.partition("::")[0], origin.expr)
    notes = (Note(at, "the model and what steps it are wrapped here"),)
    yield conclude(RULE.code, site, verdict, _message(raw), ast.unparse(site.node), notes)


def _judge(project: Project, context: Context, site: Site) -> Answer:
    raw: Raw = site.data
    by_wrapper = _prepared if raw.wrap.by == wrappers.PREPARED else _engine
    return both(by_wrapper(project, context, raw), _conditions(project, context, site.function, raw))


def _message(raw: Raw) -> str:
    call = ast.unparse(raw.call)
    if raw.wrap.by == wrappers.PREPARED:
        return (
            f"`{call}` goes past the Accelerator: under DeepSpeed it steps the engine inside its own "
            "`backward` alone, so no weight changes, and in fp16 the loss is not scaled, so the step fails."
        )
    return (
        f"`{call}` goes past the DeepSpeed engine, which averages gradients over ranks in its own "
        "`backward`: at stage 0 each rank trains a model of its own, and ZeRO stops with an error."
    )


# -- accelerate -----------------------------------------------------------------------------------------


def _prepared(project: Project, context: Context, raw: Raw) -> Answer:
    """The Accelerator's pass steps the engine of DeepSpeed, and scales in fp16; else it is the tensor's."""
    if context.strategy.is_deepspeed:
        at = context.strategy_from.at
        return Fatal(Note(at, "DeepSpeed, which the Accelerator's own `backward` steps") if at else None)
    answer = _precision(project, context, raw)
    if isinstance(answer, Fatal) or context.strategy is not Strategy.UNKNOWN:
        return answer
    return Unclear("whether the run uses DeepSpeed or fp16", plausible=False)


def _precision(project: Project, context: Context, raw: Raw) -> Answer:
    """Fatal in fp16; excluded in every other precision."""
    settings = Settings(project, context if context.entry else None)
    made = list(_accelerators(settings, raw))
    if not made or any(k.arg in UNSEEN for call, _ in made for k in call.keywords):
        return Unclear("how the Accelerator is made", plausible=False)
    given = [(k.value, f) for call, f in made for k in call.keywords if k.arg == MIXED]
    for expr, function in given[:1]:
        at = project.place(function.partition("::")[0], expr)
        found = {s.value for s in settings.of(expr, function)}
        return _answer(found, Note(at, f"the precision is {ast.unparse(expr)}"))
    return _launched(project, context, raw)


def _launched(project: Project, context: Context, raw: Raw) -> Answer:
    """The precision that the launch asks for; none where nothing but the machine could."""
    option = next((o for o in map(context.option, OPTIONS) if o.value is not MISSING), None)
    if option is None and context.launched_by == "accelerate" and not context.configs:
        return Unclear("the precision, which nothing in the tree sets: fp16", plausible=False)
    value = option.value if option else "no"
    made = project.place(raw.wrap.origin.function.partition("::")[0], raw.wrap.origin.expr)
    at = option.at if option else context.begins
    return _answer({value}, Note(at or made, f"the precision is {value}"))


def _answer(found: set[object], note: Note) -> Answer:
    if found == {"fp16"}:
        return Fatal(note)
    if found and found <= PLAIN:
        return Excluded(Note(note.at, f"{note.note}: Accelerate's own pass does no more than this one"))
    return Unclear("whether the run uses fp16", plausible=False)


def _accelerators(settings: Settings, raw: Raw) -> Iterator[tuple[ast.Call, str]]:
    """The calls that make the Accelerator."""
    expr, home = raw.wrap.origin.expr, raw.wrap.origin.function
    func = expr.func if isinstance(expr, ast.Call) else None
    for origin in settings.origins(func.value, home) if isinstance(func, ast.Attribute) else ():
        if isinstance(origin.expr, ast.Call):
            yield origin.expr, origin.function


# -- DeepSpeed ------------------------------------------------------------------------------------------


def _engine(project: Project, context: Context, raw: Raw) -> Answer:
    """With ZeRO it works in recent releases; at stage 0, which does not show, ranks drift or it raises."""
    if not context.strategy.is_deepspeed:
        return both(several_ranks(project, context), Unclear("the stage of ZeRO", plausible=False))
    old = versions.below(context, "deepspeed", deepspeed_gates.PLAIN_BACKWARD)
    if old is None:
        fact = f"the version of deepspeed: {deepspeed_gates.PLAIN_BACKWARD} and later take a plain pass"
        return Unclear(fact, plausible=False)
    note = versions.pinned(context, "deepspeed", "" if old else ": takes a plain backward pass as its own")
    return Fatal(note) if old or note is None else Excluded(note)


# -- around the call ------------------------------------------------------------------------------------


def _conditions(project: Project, context: Context, function: str, raw: Raw) -> Answer:
    """Do the tests hold in this run under which the model is wrapped, and under which the pass runs?"""
    origin = raw.wrap.origin
    answer = both(
        comes_to(project, context, function, raw.call),
        comes_to(project, context, origin.function, origin.expr),
    )
    return doubted(answer, "whether the model is wrapped", plausible=False) if raw.mixed else answer


RULE = Rule(
    code="MM315",
    name="raw-backward-under-wrapper",
    summary="`loss.backward()` where the wrapper of the model has a backward pass of its own",
    family="numerics",
    severity=Severity.ERROR,
    since="0.1.0",
    options=("strategy", *OPTIONS),
    trigger=trigger,
    pattern=pattern,
    check=check,
    fix=fix,
)
