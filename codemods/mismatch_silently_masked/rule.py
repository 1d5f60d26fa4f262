"""MM211: a sample whose lengths do not agree loses all its labels, and only a message says so."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import replace

from mmcodemod.api import (
    Answer,
    Applicability,
    Context,
    Dismissal,
    Excluded,
    Fatal,
    Finding,
    Fix,
    FunctionFacts,
    Note,
    Origin,
    Project,
    Rule,
    Severity,
    Site,
    Unclear,
    Via,
    alternatives,
    asserted_labels,
    chosen,
    conclude,
    doubted,
    first_label,
    flow_of,
    frozen,
    goes_on_with,
    idle_labels,
    is_ignored_label,
    loss_without_labels,
    named_around,
    own_loss,
    own_nodes,
    preference_loss,
    turns_counted_alike,
    unlabelled_asked,
    unpaired,
    weigh,
)

LENGTHS = ("sum", "numel", "count_nonzero", "size")  # methods that count elements
LOGGERS = ("debug", "info", "warning", "warn", "error", "exception", "critical", "log", "flush", "write")
MAX_STEPS = 4  # names that a length is followed through
ADVICE = (
    "count such samples and stop when there are more than a few; then let the conversation template and the "
    "tokenizer agree"
)

Judge = Callable[[Project, Context, str], Answer]


@frozen()
class Masked:
    """`labels[:] = -100` on the side of a test on which two lengths differ; `others` is what else happens
    there besides messages."""

    facts: FunctionFacts
    node: ast.Assign
    test: ast.Compare
    others: tuple[ast.stmt, ...]


def trigger(project: Project) -> Iterator[Site]:
    """Every whole assignment of the ignored label that a comparison of lengths decides; those of functions of
    which one caller runs one are one candidate."""
    found: dict[str, list[Site]] = {}
    for each in _all_masked(project):
        found.setdefault(each.function, []).append(each)
    for functions in alternatives(project, found):
        sites = [each for function in functions for each in found[function]]
        if len(functions) == 1:
            yield from (replace(each, data=[each]) for each in sites)
        else:
            yield replace(sites[0], data=sites)


def _all_masked(project: Project) -> Iterator[Site]:
    for facts in project.mentioning("[:] = "):
        if b"[:] = " not in project.source(facts):
            continue
        for node in own_nodes(facts.node):
            if isinstance(node, ast.Assign) and _whole(node):
                if is_ignored_label(project, node.value, facts.id):
                    yield from _decided(project, facts, node)


def _whole(node: ast.Assign) -> bool:
    """`x[:] = ...`"""
    target = node.targets[0]
    if len(node.targets) != 1 or not isinstance(target, ast.Subscript):
        return False
    part = target.slice
    return isinstance(part, ast.Slice) and part.lower is part.upper is part.step is None


def _decided(project: Project, facts: FunctionFacts, node: ast.Assign) -> Iterator[Site]:
    for statement in flow_of(project, facts.id).around(node)[1:]:
        if isinstance(statement, ast.If) and _differ(project, facts, statement, node):
            assert isinstance(statement.test, ast.Compare)
            block = statement.body if _in(statement.body, node) else statement.orelse
            others = tuple(s for s in block if s is not node and not _only_tells(s))
            at = project.place(facts.path, node)
            masked = Masked(facts, node, statement.test, others)
            yield Site(facts.path, at, function=facts.id, node=node, data=masked)
            return


def _in(block: list[ast.stmt], node: ast.stmt) -> bool:
    return any(s is node for s in block)


def _differ(project: Project, facts: FunctionFacts, statement: ast.If, node: ast.stmt) -> bool:
    """Is the node on the side of the `if` itself on which two lengths are not equal?"""
    test = statement.test
    if not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return False
    block = {ast.NotEq: statement.body, ast.Eq: statement.orelse}.get(test.ops[0].__class__, [])
    return _in(block, node) and all(
        _is_length(project, facts, e, 0) for e in (test.left, test.comparators[0])
    )


def _is_length(project: Project, facts: FunctionFacts, expr: ast.expr, depth: int) -> bool:
    """Does the expression count elements, directly or by what its names are given?"""
    for node in ast.walk(expr):
        if isinstance(node, ast.Call) and _counts(node):
            return True
        if isinstance(node, ast.Attribute) and node.attr == "shape":
            return True
        if isinstance(node, ast.Name) and depth < MAX_STEPS:
            sources = project.resolver.body(facts.id).names.get(node.id, ())
            given = [s.expr for s in sources if s.via in (Via.VALUE, Via.ADDED) and s.expr is not expr]
            if any(_is_length(project, facts, e, depth + 1) for e in given):
                return True
    return False


def _counts(call: ast.Call) -> bool:
    if isinstance(call.func, ast.Name):
        return call.func.id == "len"
    return isinstance(call.func, ast.Attribute) and call.func.attr in LENGTHS


def _only_tells(statement: ast.stmt) -> bool:
    """`print(...)`, a call of a logger or of `warnings`, `pass`."""
    if isinstance(statement, ast.Pass):
        return True
    if not isinstance(statement, ast.Expr):
        return False
    call = statement.value
    if isinstance(call, ast.Constant):
        return True
    if not isinstance(call, ast.Call):
        return False
    if isinstance(call.func, ast.Name):
        return call.func.id in ("print", *LOGGERS) or call.func.id.startswith(("rank0_", "print_", "log_"))
    return isinstance(call.func, ast.Attribute) and call.func.attr in LOGGERS


def check(project: Project, site: Site) -> Iterator[Finding | Dismissal]:
    """One finding for all places of the candidate, at the first that some run surely chooses."""
    judge = chosen if len(site.data) > 1 else _may_run
    judged = [(each, _judged(project, each, judge)) for each in site.data]
    yield from (result for _, result in judged if isinstance(result, Dismissal))
    found = [(each, result) for each, result in judged if isinstance(result, Finding)]
    found = [
        (each, replace(result, severity=result.severity.capped(RULE.severity))) for each, result in found
    ]
    loudest = max((result.severity.rank for _, result in found), default=0)
    chosen_ones = [pair for pair in found if pair[1].severity.rank == loudest]
    if chosen_ones:
        first = min(chosen_ones, key=lambda pair: _open(project, *pair))
        left = [pair for pair in found if pair[1].severity.rank < loudest]
        launched = [each for each, result in left if _launched(project, result)]
        yield _together(project, first, chosen_ones, launched)
        note = Note(first[0].at, "the launched runs choose this one")
        rest = [each for each, _ in left if each not in launched]
        yield from (Dismissal(RULE.code, each.at, "no launched run chooses it", (note,)) for each in rest)


def _launched(project: Project, finding: Finding) -> bool:
    """Is it a launched run whose choice does not show?"""
    return any(c.id in finding.contexts and c.origin is Origin.LAUNCHED for c in project.contexts)


def _together(
    project: Project, first: tuple[Site, Finding], every: list[tuple[Site, Finding]], may: list[Site]
) -> Finding:
    """The first finding, with the places and the runs of the others; `may`: places that a run may choose
    whose template does not show."""
    finding, others = first[1], [each for each, _ in every if each is not first[0]]
    notes = [Note(each.at, f"`{each.symbol}`, chosen by another test, does the same") for each in others]
    notes += [Note(e.at, f"`{e.symbol}` does the same for a run whose template does not show") for e in may]
    runs = {c for _, result in every for c in result.contexts}
    contexts = tuple(c.id for c in (*project.contexts, *project.configured) if c.id in runs)
    spared = tuple(s for s in finding.spared if s.context not in runs)
    return replace(finding, contexts=contexts, related=(*notes, *finding.related), spared=spared)


def _open(project: Project, each: Site, finding: Finding) -> bool:
    """Is it open for every run whether it chooses this function?"""
    runs = [c for c in project.contexts if c.id in finding.contexts]
    return not any(isinstance(chosen(project, c, each.function), Fatal) for c in runs)


def _judged(project: Project, site: Site, judge: Judge) -> Finding | Dismissal:
    masked: Masked = site.data
    if masked.others:
        at = project.place(site.path, masked.others[0])
        note = Note(at, project.line(at.path, at.line))
        return Dismissal(RULE.code, site.at, "the code does more about it than to print a message", (note,))
    looked = project.get(unlabelled_asked)
    if looked is not None:
        note = Note(looked, project.line(looked.path, looked.line))
        return Dismissal(RULE.code, site.at, "samples without any label are looked for", (note,))
    verdict = weigh(project, site.function, lambda context: _goes_on(project, context, masked, judge))
    losses = [loss_without_labels(project, context) for context in verdict.contexts]
    told = tuple(dict.fromkeys(note for _, note in losses if note is not None))
    message = _message(masked, goes_on_with({loss for loss, _ in losses}))
    fix = Fix(ADVICE, Applicability.DISPLAY)
    return conclude(RULE.code, site, verdict, message, ast.unparse(masked.node), told[:1], fix=fix)


def _goes_on(project: Project, context: Context, masked: Masked, judge: Judge) -> Answer:
    """Does the run come here, and does nothing stop it before, or at a sample without labels? A configuration
    that nothing launches says nothing of that. Of the tests in the function, those that ask for the name of a
    template count: the others ask for what is in a sample."""
    if context.entry is None and context.origin is not Origin.LIBRARY:
        return Unclear("what a launch with it would train")
    stop = first_label(project, context) or unpaired(project, context)
    if stop is not None:
        return Excluded(stop)
    idle = idle_labels(project, context)
    if idle is not None:
        return Unclear(f"whether a loss reads the labels: `forward` ({idle}) gives them to none", False)
    asserted = asserted_labels(project, context)
    if asserted is not None:
        return Unclear(f"whether the assertion about labels in {asserted} stops the run first", False)
    inside = named_around(project, context, masked.facts.id, masked.node)
    answer = inside if not isinstance(inside, Fatal) else judge(project, context, masked.facts.id)
    return answer if not isinstance(answer, Fatal) else _agrees(project, context) or answer


def _agrees(project: Project, context: Context) -> Answer | None:
    """What is open where the function surely runs: whether many samples differ, and what the loss is then."""
    alike, own = turns_counted_alike(context), own_loss(project, context)
    if own is not None and preference_loss(project, context) is None:
        made = f"what `compute_loss` ({own}), which takes no loss of the model, gives over no label"
        return doubted(Unclear(made), alike)
    return Unclear(alike) if alike else None


def _may_run(project: Project, context: Context, function: str) -> Answer:
    """Of a function that is no alternative of another: an open test around its call is no doubt, unless it
    asks for the name of a template that no launch shows."""
    answer = chosen(project, context, function)
    open_name = isinstance(answer, Unclear) and not answer.plausible
    return answer if open_name or isinstance(answer, Excluded) else Fatal()


def _message(masked: Masked, loss: str) -> str:
    target = masked.node.targets[0]
    assert isinstance(target, ast.Subscript)
    return (
        f"`{ast.unparse(masked.node)}` takes all labels from a sample when `{ast.unparse(masked.test)}`, and "
        "nothing but a message says so: where the template or the tokenizer does not fit, that is every "
        f"sample, and the run goes on with {loss}."
    )


RULE = Rule(
    code="MM211",
    name="mismatch-silently-masked",
    summary="A sample whose lengths do not agree loses all its labels, and only a message says so",
    family="modality",
    severity=Severity.WARNING,
    since="0.1.0",
    trigger=trigger,
    check=check,
)
