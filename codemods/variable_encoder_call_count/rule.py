"""MM203: how often a module runs in one forward depends on the samples of this rank."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import libcst as cst

from mmcodemod.api import (
    MANY,
    Answer,
    Applicability,
    Branch,
    Context,
    Dismissal,
    Excluded,
    Finding,
    Fix,
    Flow,
    Frame,
    FunctionFacts,
    ModuleCalls,
    Note,
    Origin,
    Place,
    Project,
    Rule,
    Scope,
    Severity,
    Site,
    availability,
    batch_branches,
    batch_key,
    branches,
    conclude,
    doubted,
    flow_of,
    frozen,
    function_scope,
    in_one_round,
    in_root_unit,
    inference_only,
    launched,
    may_vary,
    modality_tests,
    module_runs,
    off_default,
    over_pieces,
    own_nodes,
    raises,
    sharded_ranks,
    site,
    varies,
    weigh,
)

ONE_EACH = "whether a sample has more than one image"
MIXED = "whether one step mixes samples of both kinds"
TOKENS = "whether samples differ in how many of them they have"
SAME_NUMBER = "whether every rank's batch has the same number of them"
CONCATENATE = "on all inputs together"
NO_DUMMIES = "outside the loop; a dummy for each sample is no mend"


@frozen()
class Candidate:
    """`modules` run a different number of times on different ranks; `why` and `other` show it, `unknown` is
    the fact that is open, `advice` completes "call it once for the whole batch"."""

    facts: FunctionFacts
    modules: tuple[str, ...]
    why: str
    unknown: str = ""
    advice: str = ""
    other: tuple[Note, ...] = ()


def trigger(project: Project) -> Iterator[Site]:
    """Calls of modules in loops that the data ends, and on one side only of a test inside a batch loop."""
    for facts in project.forward_functions():
        seen: set[str] = set()
        asked = facts.id in project.get(modality_tests) or may_vary(project, facts)
        for frame in project.frames(facts.id)[:2] if asked else ():
            for node, candidate in _of_function(project, facts, frame):
                if not seen.issuperset(candidate.modules):
                    seen.update(candidate.modules)
                    yield site(project, facts.id, node, candidate)


def _of_function(
    project: Project, facts: FunctionFacts, frame: Frame
) -> Iterator[tuple[ast.Call, Candidate]]:
    scope = function_scope(project, facts)
    flow = flow_of(project, facts.id)
    yield from _uneven(project, facts, frame, scope, flow)
    yield from _looped(project, facts, frame, scope, flow)
    yield from _in_one_line(project, facts, frame, scope)
    if frame == project.frames(facts.id)[0]:
        yield from _twice(project, facts, flow)


def _twice(project: Project, facts: FunctionFacts, flow: Flow) -> Iterator[tuple[ast.Call, Candidate]]:
    """Two tests that do not depend on each other, on images and on video, run the same module."""
    own = [b for b in project.get(branches) if b.facts is facts and b.lone]
    tests = [b for b in own if isinstance(b.node, ast.If) and not flow.loop_of(b.node)]
    for later in tests:
        for earlier in tests[: tests.index(later)]:
            modules = earlier.lone & later.lone
            if not modules or _names(earlier) & _names(later) or _excludes(flow, earlier, later):
                continue
            keys = [k for atom in later.atoms for k in batch_key(project, facts, atom)]
            known = [availability(project, k).known for k in keys]
            if not all(known) or not known:
                call = next(c.call for c in (*later.true, *later.false) if c.modules & modules)
                why = f"`{earlier.test}` and `{later.test}` decide apart"
                unknown = "" if False in known else f"whether all batches have {' and '.join(keys) or 'both'}"
                yield call, Candidate(facts, tuple(sorted(modules)), why, unknown, advice=CONCATENATE)


def _names(branch: Branch) -> set[str]:
    return {atom.name for atom in branch.atoms}


def _excludes(flow: Flow, earlier: Branch, later: Branch) -> bool:
    """Does one side alone of the earlier test get to the later one?"""
    return any(test is earlier.node for test, _ in flow.tests(later.node))


def _looped(
    project: Project, facts: FunctionFacts, frame: Frame, scope: Scope, flow: Flow
) -> Iterator[tuple[ast.Call, Candidate]]:
    calls = project.get(ModuleCalls)
    for loop in flow.statements:
        if isinstance(loop, (ast.While, ast.For, ast.AsyncFor)) and varies(loop, scope):
            runs = calls.within(loop.body, frame)
            if runs:
                head = ast.unparse(loop.test if isinstance(loop, ast.While) else loop.iter)
                why = f"one more in every round of a loop over `{head}`"
                modules = dict.fromkeys(m for run in runs for m in sorted(run.modules))
                alone = isinstance(loop, ast.While) and not _apart(flow, loop, calls, frame)
                unknown = TOKENS if alone else SAME_NUMBER
                yield runs[0].call, Candidate(facts, tuple(modules), why, unknown, advice=CONCATENATE)


def _in_one_line(
    project: Project, facts: FunctionFacts, frame: Frame, scope: Scope
) -> Iterator[tuple[ast.Call, Candidate]]:
    """`[self.tower(piece) for piece in images.split(8)]`"""
    calls = project.get(ModuleCalls)
    made = (n for n in own_nodes(facts.node) if isinstance(n, (ast.ListComp, ast.GeneratorExp)))
    for each in sorted(made, key=lambda n: (n.lineno, n.col_offset)):
        over = each.generators[0].iter
        runs = calls.within([each.elt], frame) if over_pieces(over, scope) else []
        if runs:
            why = f"one more in every round of a loop over `{ast.unparse(over)}`"
            modules = dict.fromkeys(m for run in runs for m in sorted(run.modules))
            yield runs[0].call, Candidate(facts, tuple(modules), why, SAME_NUMBER, advice=CONCATENATE)


def _apart(flow: Flow, loop: ast.stmt, calls: ModuleCalls, frame: Frame) -> bool:
    """Does a test lead other samples past a loop, to calls of their own?"""
    tests = ((flow.arms(test), outcome) for test, outcome in flow.tests(loop))
    return any(calls.within(arms.false if outcome else arms.true, frame) for arms, outcome in tests)


def _uneven(
    project: Project, facts: FunctionFacts, frame: Frame, scope: Scope, flow: Flow
) -> Iterator[tuple[ast.Call, Candidate]]:
    """Inside a loop over samples, the two sides of a test on the modality run a module unequally often."""
    calls = project.get(ModuleCalls)
    for node in project.get(modality_tests).get(facts.id, []):
        if flow.loop_of(node) is None or raises(node.body) or raises(node.orelse):
            continue
        arms = flow.arms(node)
        true, false = (module_runs(arm, calls, frame, scope) for arm in (arms.true, arms.false))
        for module in sorted({*true.counts, *false.counts}):
            if true.counts[module] != false.counts[module]:
                more = true if true.counts[module] > false.counts[module] else false
                fewer = false if more is true else true
                test = ast.unparse(node.test)
                why = f"each sample runs it {_times(true.counts[module])} where `{test}` holds and "
                why += f"{_times(false.counts[module])} where it does not"
                other = _note(facts, fewer, module)
                body = arms.true if more is true else arms.false
                once = in_one_round(body, calls, frame, scope, module) if more.counts[module] >= MANY else ()
                unknown = ONE_EACH if fewer.counts[module] in once else MIXED
                candidate = Candidate(facts, (module,), why, unknown, advice=NO_DUMMIES, other=other)
                yield more.calls[module].call, candidate


def _note(facts: FunctionFacts, runs: object, module: str) -> tuple[Note, ...]:
    call = runs.calls.get(module)  # type: ignore[attr-defined]
    if call is None:
        return ()
    return (Note(Place(facts.path, call.call.lineno), "the other side runs it here"),)


def _times(count: int) -> str:
    if count >= MANY:
        return "as often as the sample has images"
    return {0: "never", 1: "once", 2: "twice"}.get(count, f"{count} times")


def pattern(node: cst.CSTNode) -> bool:
    """A call."""
    return isinstance(node, cst.Call)


def check(project: Project, site: Site) -> Iterator[Finding | Dismissal]:
    found: Candidate = site.data
    at = inference_only(project, found.facts)
    if at is not None:
        note = Note(at, project.line(at.path, at.line))
        yield Dismissal(RULE.code, site.at, "runs only for inference", (note,))
        return
    verdict = weigh(project, site.function, lambda context: _answer(project, context, found, site.node))
    entry = verdict.contexts[0].entry if verdict.contexts else None
    lack = batch_branches.without(project, found.facts, entry) if found.unknown == TOKENS else ()
    yield conclude(
        RULE.code,
        site,
        verdict,
        _message(found),
        f"{', '.join(found.modules)}: {ast.unparse(site.node)}",
        (*found.other, *lack),
        fix=Fix(_advice(found), Applicability.DISPLAY),
    )


def _answer(project: Project, context: Context, found: Candidate, node: ast.AST) -> Answer:
    once = in_root_unit(context, found.modules)
    if once is not None:
        return Excluded(once)
    answer = launched(sharded_ranks(project, context), context)
    way = off_default(project, context, found.facts.id, node)
    if way:
        return doubted(answer, way, plausible=False)
    if found.unknown == TOKENS and batch_branches.without(project, found.facts, context.entry):
        return answer
    if found.unknown == MIXED and context.origin is not Origin.LAUNCHED:
        return answer  # a note as it is: what the data hold is not asked on top
    return doubted(answer, found.unknown)


def _message(found: Candidate) -> str:
    return (
        f"Ranks fall out of step when their samples differ: the number of {_listed(found)} calls in one "
        f"forward depends on the data ({found.why}), and every call is an all-gather of all ranks."
    )


def _listed(found: Candidate) -> str:
    return " and ".join(f"`{module}`" for module in found.modules)


def _advice(found: Candidate) -> str:
    return f"call {_listed(found)} once for the whole batch, whatever it holds, {found.advice}"


RULE = Rule(
    code="MM203",
    name="variable-encoder-call-count",
    summary="How often a module runs in one forward depends on the samples of this rank",
    family="modality",
    severity=Severity.WARNING,
    since="0.1.0",
    preview=True,
    options=("strategy",),
    trigger=trigger,
    pattern=pattern,
    check=check,
)
