"""MM212: features are computed on every rank, but one data-dependent branch drops them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import libcst as cst

from mmcodemod.api import (
    GROUPS,
    Answer,
    Arms,
    Context,
    Dismissal,
    Excluded,
    Features,
    Finding,
    Flow,
    FunctionFacts,
    Kind,
    Note,
    Origin,
    Place,
    Project,
    Rule,
    Scope,
    Severity,
    Site,
    Strategy,
    atoms,
    both_kinds,
    brought,
    bypassed_by,
    cleared,
    conclude,
    deepspeed_gates,
    doubted,
    features_of,
    flow_of,
    frozen,
    frozen_perhaps,
    function_scope,
    grouped,
    inference_only,
    means_present,
    modality_functions,
    module_freezes,
    passes_over,
    presence,
    raises,
    sharded_ranks,
    site,
    versions,
    weigh,
    with_gradients,
    without_gradients,
)

from .codemod import fix

BOTH_KINDS = "whether samples without the modality come up: no data of the tree show it"


@frozen()
class Candidate:
    """A branch on the modality behind the computation of features."""

    facts: FunctionFacts
    node: ast.If
    features: Features
    arms: Arms
    true: tuple[ast.Name, ...]
    false: tuple[ast.Name, ...]
    later: tuple[ast.Name, ...]  # behind the branch, whichever side was taken

    @property
    def dropped(self) -> tuple[ast.stmt, ...]:
        """The side that does not use the features."""
        return self.arms.true if not self.true else self.arms.false


def trigger(project: Project) -> Iterator[Site]:
    """Branches on the presence of a modality, after its features were computed."""
    for facts, tests in modality_functions(project):
        scope = function_scope(project, facts)
        flow = flow_of(project, facts.id)
        for candidate in _of_function(project, facts, tests, scope, flow):
            yield site(project, facts.id, candidate.node, candidate)


def _of_function(
    project: Project, facts: FunctionFacts, tests: list[ast.If], scope: Scope, flow: Flow
) -> Iterator[Candidate]:
    for frame in project.frames(facts.id)[:1]:
        features = features_of(project, facts, scope, frame)
        for node in tests:
            if features.names and _is_behind(features, node, flow, scope):
                yield from _candidate(facts, node, features, flow)


def _is_behind(features: Features, node: ast.If, flow: Flow, scope: Scope) -> bool:
    """Are the features computed before the test, whatever the test says?"""
    if features.weak:
        return True
    earlier = [c.call for c in features.calls if c.call.lineno < node.lineno]
    before = [call for call in earlier if not flow.excludes(call, node)]
    return any(not _under_modality(call, node, flow, scope) for call in before)


def _under_modality(call: ast.Call, node: ast.If, flow: Flow, scope: Scope) -> bool:
    """Is the computation itself under a test on the modality that does not hold `node`?"""
    shared = flow.ancestors(node)
    around = [a for a in flow.around(call)[1:] if a not in shared]
    return any(isinstance(a, ast.If) and presence(a.test, scope) for a in around)


def _candidate(facts: FunctionFacts, node: ast.If, features: Features, flow: Flow) -> Iterator[Candidate]:
    if raises(node.body) or raises(node.orelse):
        return
    arms = flow.arms(node)
    true, false = features.used_in(arms.true, node), features.used_in(arms.false, node)
    if true or false:
        later = features.used_in(flow.afterwards(node), node)
        yield Candidate(facts, node, features, arms, tuple(true), tuple(false), tuple(later))


def pattern(node: cst.CSTNode) -> bool:
    """An `if` statement."""
    return isinstance(node, cst.If)


def check(project: Project, site: Site) -> Iterator[Finding | Dismissal]:
    found: Candidate = site.data
    scope = function_scope(project, found.facts)
    if not _is_data_branch(found, scope):
        return
    if (found.true and found.false) or found.later:
        yield _connected(site, found)
    elif counted := _counted(found):
        note = Note(Place(site.path, counted.lineno), "ends the run where features are left over")
        yield Dismissal(RULE.code, site.at, "the code counts that all features are used", (note,))
    elif not found.features.weak:
        yield from _judged(project, site, found)


def _connected(site: Site, found: Candidate) -> Dismissal:
    """The side without the modality uses the features, too: say by which line."""
    side = found.false if means_present(found.node.test) else found.true
    use, reason = (side or found.later)[-1], "both sides keep"
    if not side:
        reason = "what follows keeps"
    note = Note(Place(site.path, use.lineno), f"uses `{use.id}`")
    return Dismissal(RULE.code, site.at, f"{reason} `{use.id}` in the graph", (note,))


def _counted(found: Candidate) -> ast.If | None:
    """`if used != len(features): raise`, behind the branch."""
    names = {use.id for use in (*found.true, *found.false)}
    return next(
        (n for n in ast.walk(found.facts.node) if isinstance(n, ast.If) and _counts(n, found.node, names)),
        None,
    )


def _counts(node: ast.If, branch: ast.If, names: set[str]) -> bool:
    lengths = (n for n in ast.walk(node.test) if isinstance(n, ast.Call) and ast.unparse(n.func) == "len")
    behind = node.lineno > (branch.end_lineno or branch.lineno) and isinstance(node.test, ast.Compare)
    return behind and raises(node.body) and any(ast.unparse(n.args[0]) in names for n in lengths if n.args)


def _is_data_branch(found: Candidate, scope: Scope) -> bool:
    """Is it decided by this rank's data, not by a decoding step?"""
    kinds = {a.kind for a in atoms(found.node.test, scope)}
    return Kind.PRESENCE in kinds and Kind.DECODE not in kinds


def _judged(project: Project, site: Site, found: Candidate) -> Iterator[Finding | Dismissal]:
    at = inference_only(project, found.facts)
    if at is not None:
        note = Note(at, project.line(at.path, at.line))
        yield Dismissal(RULE.code, site.at, "runs only for inference", (note,))
        return
    frame = project.frames(found.facts.id)[0]
    calls = [c.call for c in found.features.calls]
    if all(without_gradients(project, c, frame) or _detached(found.facts, c) for c in calls):
        note = Note(Place(site.path, found.features.calls[0].call.lineno), "computed without gradients")
        yield Dismissal(RULE.code, site.at, "the features have no gradient to lose", (note,))
        return
    frozen = _frozen(project, found)
    if frozen is not None:
        yield Dismissal(RULE.code, site.at, "nothing that trains makes the features", (frozen,))
        return
    empty = cleared(project, found.facts, min(call.lineno for call in calls))
    if empty is not None:
        yield Dismissal(RULE.code, site.at, "features are computed only where a sample has any", (empty,))
        return
    modules = with_gradients(project, found.features, frame)
    verdict = weigh(project, site.function, lambda context: _seen(project, site, context, modules))
    test = ast.unparse(found.node.test)
    notes = _notes(site, found)
    yield conclude(RULE.code, site, verdict, _message(found, modules), test, notes, at=site.head)


def _detached(facts: FunctionFacts, call: ast.Call) -> bool:
    """`self.encode(images).detach()`."""
    nodes = (n for n in ast.walk(facts.node) if isinstance(n, ast.Attribute))
    return any(n.attr == "detach" and n.value is call for n in nodes)


def _frozen(project: Project, found: Candidate) -> Note | None:
    """Where every module that makes the features is frozen, whatever the run asks for."""
    modules = frozenset(m for call in found.features.calls for m in call.modules)
    at = {freeze.module: freeze.at for freeze in module_freezes(project, modules) if freeze.always}
    if not modules or not modules <= at.keys():
        return None
    return Note(min(at[name] for name in modules), "is frozen here")


def _seen(project: Project, site: Site, context: Context, modules: frozenset[str]) -> Answer:
    """Loud only where modules of the features are seen to train, and where the tree shows samples of both
    kinds (a library does not show its users' data)."""
    frozen = frozen_perhaps(project, context, modules)
    answer = doubted(_answer(project, site, context), frozen, plausible=False)
    if context.origin is Origin.LIBRARY:
        return answer
    found: Candidate = site.data
    calls = [c.call for c in found.features.calls]
    frame = project.frames(found.facts.id)[0]
    answer = doubted(answer, passes_over(project, calls, frame), plausible=False)
    known = both_kinds(project, context.entry) and brought(project, found.facts, found.features)
    return doubted(answer, "" if known else BOTH_KINDS, plausible=False)


def _answer(project: Project, site: Site, context: Context) -> Answer:
    """Old DeepSpeed stops even where a sampler gives all ranks the same modality: what it has fetched ahead
    for the backward pass is still in flight when the step ends."""
    bypassed = bypassed_by(project, context, site.function)
    if bypassed is not None:
        return Excluded(bypassed)
    answer = sharded_ranks(project, context)
    old = versions.below(context, "deepspeed", deepspeed_gates.INFLIGHT_CLEARED)
    return answer if old and context.strategy is Strategy.ZERO3 else grouped(answer, context)


def _notes(site: Site, found: Candidate) -> tuple[Note, ...]:
    computed = found.features.calls[0].call.lineno
    used = (found.true or found.false)[0]
    return (
        Note(Place(site.path, computed), "the features are computed here, on every rank"),
        Note(Place(site.path, used.lineno), f"only this side uses `{used.id}`"),
    )


def _message(found: Candidate, modules: frozenset[str]) -> str:
    names = ", ".join(f"`{m}`" for m in sorted(modules)[:4])
    test = ast.unparse(found.node.test)
    side = "holds" if not found.true else "does not hold"
    return (
        f"The backward pass runs out of step on a rank whose samples all take the side where `{test}` "
        f"{side}: the features of {names} are computed there but reach no output, so their parameters get no "
        "backward, while other ranks reduce gradients for them."
    )


RULE = Rule(
    code="MM212",
    name="modality-features-disconnected",
    summary="Features are computed on every rank, but one data-dependent branch drops them",
    family="modality",
    severity=Severity.ERROR,
    since="0.1.0",
    options=("strategy", GROUPS),
    trigger=trigger,
    pattern=pattern,
    check=check,
    fix=fix,
)
