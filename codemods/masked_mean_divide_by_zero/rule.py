"""MM317: a masked mean in a loss divides by the number of elements that count, which may be zero."""

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
    Finding,
    FunctionFacts,
    Note,
    Place,
    Project,
    Rule,
    Severity,
    Site,
    Unclear,
    Via,
    comes_by,
    conclude,
    cuts_of_run,
    doubted,
    flow_of,
    frozen,
    gets_into_loss,
    inference_only,
    is_ignored_label,
    label_cuts,
    labels_asked_for,
    masked_prompt,
    own_nodes,
    passed_argument,
    prompts_of_run,
    raises,
    site,
    weigh,
)

from .codemod import fix

BATCH = "per_device_train_batch_size"
MASKS = re.compile(
    r"(^|_)(loss|label|labels|target|targets|answer|response|responses|completion|completions|action|valid)_?masks?$"
)
LOSS = re.compile(r"loss|logp|nll", re.IGNORECASE)
SAME = (
    "float",
    "to",
    "int",
    "long",
    "bool",
    "view",
    "flatten",
    "reshape",
    "contiguous",
    "type_as",
    "squeeze",
)
ENTROPIES = frozenset(("torch.nn.functional.cross_entropy", "torch.nn.CrossEntropyLoss"))
DIVIDES = ("div", "divide", "true_divide")
REDUCES = re.compile(r"reduce|gather|psum", re.IGNORECASE)


@frozen()
class Mean:
    """`division` of `top` by `bottom`, which is `total`, the number of elements that `mask` keeps. `rows`:
    one number for each row; `labels`: the mask is what has a label that counts."""

    facts: FunctionFacts
    division: ast.expr
    top: ast.expr
    bottom: ast.expr
    total: ast.Call
    mask: ast.Name
    rows: bool
    labels: bool


def trigger(project: Project) -> Iterator[Site]:
    """Divisions by the sum of a mask that may be empty, in functions that training runs."""
    for facts in project.mentioning("mask"):
        if facts.id in project.trained and project.calls_of(facts.id, ("sum",)):
            for node in own_nodes(facts.node):
                mean = _mean(project, facts, node) if isinstance(node, (ast.BinOp, ast.Call)) else None
                if mean is not None and _of_a_loss(project, mean):
                    yield site(project, facts.id, mean.total, mean)


def pattern(node: cst.CSTNode) -> bool:
    """A call."""
    return isinstance(node, cst.Call)


# -- what is divided by ---------------------------------------------------------------------------------


def _mean(project: Project, facts: FunctionFacts, division: ast.BinOp | ast.Call) -> Mean | None:
    parts = _parts(division)
    total = _total(project, facts, parts[1]) if parts is not None else None
    mask = _summed(total) if total is not None else None
    if parts is None or total is None or mask is None or _measures(*parts):
        return None
    labels = _of_labels(project, facts, mask)
    if not labels and not _may_be_empty(project, facts, mask):
        return None
    plain = isinstance(total.func, ast.Attribute) and not _is_torch(total.func.value)
    rows = len(total.args) > (0 if plain else 1) or any(k.arg in ("dim", "axis") for k in total.keywords)
    return Mean(facts, division, *parts, total, mask, rows, labels)


def _parts(division: ast.BinOp | ast.Call) -> tuple[ast.expr, ast.expr] | None:
    """What is divided, and by what: `a / b`, `a.div(b)`, `torch.div(a, b)`."""
    match division:
        case ast.BinOp(top, ast.Div(), bottom):
            return top, bottom
        case ast.Call(ast.Attribute(ast.Name("torch"), word), [top, bottom], []) if word in DIVIDES:
            return top, bottom
        case ast.Call(ast.Attribute(top, word), [bottom], []) if word in DIVIDES:
            return top, bottom
    return None


def _total(project: Project, facts: FunctionFacts, expr: ast.expr) -> ast.Call | None:
    """The call that makes the divisor, directly or as the one value of a name."""
    if isinstance(expr, ast.Name):
        sources = project.resolver.body(facts.id).names.get(expr.id, ())
        plain = len(sources) == 1 and sources[0].via is Via.VALUE and sources[0].index < 0
        plain = plain and not _changed(project, facts, expr.id)
        expr = sources[0].expr if plain and expr.id not in facts.parameters.names else expr
    return expr if isinstance(expr, ast.Call) else None


def _changed(project: Project, facts: FunctionFacts, name: str) -> bool:
    """Is it changed in place before the division, as by `n.clamp_(min=1)`?"""
    calls = project.calls_of(facts.id, ("clamp_", "clamp_min_", "clip_", "add_", "masked_fill_"))
    return any(isinstance(c.func, ast.Attribute) and ast.unparse(c.func.value) == name for c in calls)


def _summed(call: ast.Call) -> ast.Name | None:
    """The mask of `mask.sum()`, `mask.float().sum(-1)` and `torch.sum(mask)`."""
    if not isinstance(call.func, ast.Attribute) or call.func.attr != "sum":
        return None
    inner = call.args[0] if _is_torch(call.func.value) and call.args else call.func.value
    while isinstance(inner, ast.Call) and isinstance(inner.func, ast.Attribute) and inner.func.attr in SAME:
        inner = inner.func.value
    return inner if isinstance(inner, ast.Name) else None


def _is_torch(expr: ast.expr) -> bool:
    return isinstance(expr, ast.Name) and expr.id == "torch"


def _measures(top: ast.expr, bottom: ast.expr) -> bool:
    """A share of elements for people to read: an accuracy, or plain numbers."""
    parts = [n for side in (top, bottom) for n in own_nodes(side)]
    items = any(isinstance(n, ast.Attribute) and n.attr in ("item", "tolist") for n in parts)
    return items or any(isinstance(n, ast.Compare) for n in parts)


def _of_labels(project: Project, facts: FunctionFacts, mask: ast.Name) -> bool:
    """Is it `labels != -100`?"""
    sources = project.resolver.body(facts.id).names.get(mask.id, ())
    against = (_against(node) for source in sources for node in own_nodes(source.expr))
    return any(other is not None and is_ignored_label(project, other, facts.id) for other in against)


def _against(node: ast.AST) -> ast.expr | None:
    """What must not be equal: `a != b`, `a.ne(b)`, `~(a == b)`, `~a.eq(b)`."""
    match node:
        case ast.Compare(_, [ast.NotEq()], [other]) | ast.UnaryOp(
            ast.Invert(), ast.Compare(_, [ast.Eq()], [other])
        ):
            return other
        case ast.Call(ast.Attribute(attr="ne"), [*_, other]) | ast.UnaryOp(
            ast.Invert(), ast.Call(ast.Attribute(attr="eq"), [*_, other])
        ):
            return other
    return None


def _may_be_empty(project: Project, facts: FunctionFacts, mask: ast.Name) -> bool:
    """Does its name, or that of what the callers pass, say that it keeps parts of a sample that may be
    missing? (A mask of padding keeps something of each sample.)"""
    if MASKS.search(mask.id):
        return True
    return any(MASKS.search(text) for text, _ in _passed(project, facts, mask.id))


def _passed(project: Project, facts: FunctionFacts, name: str) -> Iterator[tuple[str, str]]:
    """(last name of the argument, what the caller and its statement's target are called) of each caller."""
    if name not in facts.parameters.names:
        return
    for edge in project.callers(facts.id):
        passed = passed_argument(edge.call, facts, name) if edge.site is not None else None
        if passed is not None:
            text = ast.unparse(passed).rpartition(".")[2].rpartition("[")[2].strip("'\"]")
            where = edge.caller.function
            yield text, f"{where.partition('::')[2]} {_target(project, where, edge.call)}"


# -- what is it for ---------------------------------------------------------------------------------------


def _of_a_loss(project: Project, mean: Mean) -> bool:
    """Is it called a loss, or log probabilities, where it is made, or where a helper is called?"""
    said = [mean.facts.qualname, ast.unparse(mean.top)]
    said.append(_target(project, mean.facts.id, mean.division))
    said += [target for _, target in _passed(project, mean.facts, mean.mask.id)]
    return any(LOSS.search(text) for text in said)


def _target(project: Project, function: str, node: ast.AST) -> str:
    statement = flow_of(project, function).statement_of(node)
    return ast.unparse(statement.targets[0]) if isinstance(statement, ast.Assign) else ""


# -- judging ----------------------------------------------------------------------------------------------


def check(project: Project, site: Site) -> Iterator[Finding | Dismissal]:
    mean: Mean = site.data
    safe = _safe(project, mean)
    if safe is not None:
        yield Dismissal(RULE.code, site.at, safe.note, (safe,))
        return
    verdict = weigh(project, site.function, lambda context: _answer(project, context, mean))
    at = project.place(site.path, mean.division)
    notes = _notes(project) if mean.labels else ()
    yield conclude(RULE.code, site, verdict, _message(mean), ast.unparse(mean.division), notes, at=at)


def _safe(project: Project, mean: Mean) -> Note | None:
    at = inference_only(project, mean.facts)
    if at is not None:
        return Note(at, "runs only for inference")
    for asked in _asked(project, mean):
        return Note(asked, "asks first whether anything is left")
    reduced = _reduced(project, mean)
    if reduced is not None:
        return Note(reduced, "the divisor is that of all ranks")
    entropy = _entropy(project, mean) if mean.labels else None
    if entropy is not None:
        return Note(entropy, "gives labels of -100 no gradient: only the loss that is logged is NaN")
    at = project.get(labels_asked_for) if mean.labels else None
    return Note(at, "the code asks which labels are left") if at is not None else None


def _asked(project: Project, mean: Mean) -> Iterator[Place]:
    """Tests around the division that ask about the mask or its sum."""
    names = _names(mean)
    tests = [t.test for t, _ in flow_of(project, mean.facts.id).tests(mean.division)]
    whole = [n for n in own_nodes(mean.facts.node) if isinstance(n, ast.IfExp)]
    tests += [n.test for n in whole if any(inner is mean.division for inner in own_nodes(n))]
    for test in tests:
        about = {n.id for n in own_nodes(test) if isinstance(n, ast.Name)}
        none = isinstance(test, ast.Compare) and isinstance(test.ops[0], (ast.Is, ast.IsNot))
        if about & names and not none:
            yield project.place(mean.facts.path, test)


def _names(mean: Mean) -> set[str]:
    return {mean.mask.id, *([mean.bottom.id] if isinstance(mean.bottom, ast.Name) else [])}


def _reduced(project: Project, mean: Mean) -> Place | None:
    """Where the mask or its sum goes through a reduction over ranks."""
    for call in project.resolver.body(mean.facts.id).calls:
        word = ast.unparse(call.func).rpartition(".")[2]
        given = {a.id for a in call.args if isinstance(a, ast.Name)}
        if REDUCES.search(word) and given & _names(mean):
            return project.place(mean.facts.path, call)
    return None


def _entropy(project: Project, mean: Mean) -> Place | None:
    """The cross entropy, one for each label, that is averaged. Its backward pass skips ignored labels, so
    NaN stops there (torch `nll_loss_backward`)."""
    facts = mean.facts
    names = {n.id for n in own_nodes(mean.top) if isinstance(n, ast.Name)}
    sources = [s.expr for name in names for s in project.resolver.body(facts.id).names.get(name, ())]
    nodes = [n for expr in (mean.top, *sources) for n in own_nodes(expr) if isinstance(n, ast.Call)]
    called = (
        (n, {getattr(v, "name", getattr(v, "by", "")) for v in project.values(n.func, facts.id)})
        for n in nodes
    )
    return next((project.place(facts.path, n) for n, names in called if names & ENTROPIES), None)


def _answer(project: Project, context: Context, mean: Mean) -> Answer:
    """Loud where cut samples may lose all labels, one of them is enough, and the run comes by."""
    around = flow_of(project, mean.facts.id).tests(mean.division)
    checks = frozenset((t, side) for t, side in around if raises(t.body) or raises(t.orelse))
    way = comes_by(project, context, mean.facts.id, mean.division, settled=checks)
    if isinstance(way, Excluded):
        return way
    cut = mean.labels and prompts_of_run(project, context) and bool(cuts_of_run(project, context, "labels"))
    alone = mean.rows or context.option(BATCH).value in (1, "1")
    what = "row" if mean.rows else "batch"
    answer: Answer = Unclear(f"whether `{mean.mask.id}` is empty for some {what}", plausible=cut and alone)
    answer = doubted(answer, way.fact if isinstance(way, Unclear) else "", plausible=False)
    loud = not isinstance(answer, Unclear) or answer.plausible
    if loud and not gets_into_loss(project, context, mean.facts.id, mean.division):
        return doubted(answer, "whether this mean gets into the loss", plausible=False)
    return answer


def _notes(project: Project) -> tuple[Note, ...]:
    masked = project.get(masked_prompt)
    cuts = label_cuts(project, "labels") if masked else []
    places = [project.place(c.function.partition("::")[0], c.node) for c in cuts[:1]]
    prompts = [Note(masked, "prompts have no labels")] if masked else []
    return (*(Note(at, "the labels are cut here") for at in places), *prompts)


def _message(mean: Mean) -> str:
    part, kept = "row" if mean.rows else "batch", mean.mask.id
    return (
        f"`{ast.unparse(mean.division)}` is 0/0 for a {part} of which `{kept}` keeps nothing: the loss is "
        "NaN, so are all gradients of that step, on every rank, and after it the weights."
    )


RULE = Rule(
    code="MM317",
    name="masked-mean-divide-by-zero",
    summary="A masked mean in a loss divides by the number of elements that count, which may be zero",
    family="numerics",
    severity=Severity.WARNING,
    since="0.1.0",
    preview=True,
    options=("strategy", BATCH),
    trigger=trigger,
    pattern=pattern,
    check=check,
    fix=fix,
)
