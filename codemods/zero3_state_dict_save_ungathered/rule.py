"""MM109: under ZeRO-3 a state dict that is saved as it is holds empty parameters."""

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
    Note,
    Place,
    Project,
    Rule,
    Seen,
    Severity,
    Site,
    Strategy,
    Unclear,
    WeightSave,
    comes_by,
    conclude,
    flow_of,
    gathered_at,
    handed,
    prepared_before,
    runs_with,
    site,
    weigh,
    weight_saves,
)

from .codemod import fix

MAX_DEPTH = 2
BY_CONTRACT = ("_save", "save_model")  # what the Trainer hands gathered weights
_ASKS = re.compile(r"deepspeed|zero|\bds\b|ds_id|stage", re.IGNORECASE)
_GIVEN = re.compile(r"\bstate_dict is None|not state_dict\b")


def trigger(project: Project) -> Iterator[Site]:
    """Every call of training code that writes the weights of the trained model as this rank holds them."""
    for save in project.get(weight_saves):
        yield site(project, save.function, save.call, save)


def pattern(node: cst.CSTNode) -> bool:
    """A call."""
    return isinstance(node, cst.Call)


def check(project: Project, site: Site) -> Iterator[Finding | Dismissal]:
    safe = _safe(project, site)
    if safe is not None:
        yield Dismissal(RULE.code, site.at, safe.note, (safe,))
        return
    save: WeightSave = site.data
    verdict = weigh(project, site.function, lambda context: _answer(project, context, site))
    if verdict.severity is not None and _never(project, site):
        note = Note(site.at, "nothing has taken the model for training before")
        yield Dismissal(RULE.code, site.at, "saved before training, or in a run without", (note,))
        return
    notes = tuple(Note(project.place(site.path, call), "writes of it, too") for call in save.others)
    if save.read is not None and save.read.lineno != site.at.line:
        notes = (Note(project.place(site.path, save.read), "reads what this rank holds"), *notes)
    yield conclude(
        RULE.code, site, verdict, _message(save), f"{site.symbol}: {ast.unparse(save.call)}", notes
    )


def _safe(project: Project, site: Site) -> Note | None:
    """What makes the save right whatever the strategy: a gather, or a test on DeepSpeed."""
    save: WeightSave = site.data
    for node in (save.call, save.read or save.call):
        for frame in project.frames(site.function):
            gather = gathered_at(project, project.index.function(site.function), node, frame)
            if gather is not None:
                return Note(gather, "gathers the parameters around the save")
        note = _asked(project, site.function, node)
        if note is not None:
            return note
    return None


def _asked(project: Project, function: str, node: ast.AST, depth: int = 0) -> Note | None:
    """A test on DeepSpeed around the save, or around each call that leads to it."""
    facts = project.index.function(function)
    for asked, _ in flow_of(project, function).tests(node):
        text, at = ast.unparse(asked.test), Place(facts.path, asked.lineno)
        if _ASKS.search(text):
            return Note(at, f"`{text}` asks whether DeepSpeed runs")
        if _GIVEN.search(text) and facts.name in BY_CONTRACT:
            return Note(at, "the Trainer gives it the gathered weights")
    if depth == MAX_DEPTH:
        return None
    edges = [e for e in project.callers(function) if e.site is not None]
    found: Note | None = None
    for edge in (e for e in edges if not e.caller.function.startswith("<")):
        note = _asked(project, edge.caller.function, edge.call, depth + 1)
        if note is None:  # one call is enough, and there may be many ways to it
            return None
        found = found or note
    return found


def _answer(project: Project, context: Context, site: Site) -> Answer:
    strategy = runs_with(project, context, (Strategy.ZERO3,))
    if isinstance(strategy, Excluded):
        return strategy
    way = comes_by(project, context, site.function, site.node)
    if isinstance(way, Excluded):
        return way
    given = handed(project, context, project.index.function(site.function), site.data.read or site.node)
    if given is not None:
        return Excluded(given)
    if isinstance(strategy, Unclear):  # saves as they are look the same everywhere
        return Excluded(Note(context.launcher or site.at, "nothing shows that it runs under ZeRO-3"))
    return _in_time(project, context, site)


def _in_time(project: Project, context: Context, site: Site) -> Answer:
    """Is the model partitioned by then? A run that has handed it to nothing converts or merges weights."""
    state = prepared_before(project, context, site.function, site.node)
    if state is None or state.seen is Seen.ALWAYS:
        return Fatal(Note(min(state.at), "trains the model from here on") if state else None)
    if state.seen is Seen.NEVER:
        return Excluded(Note(site.at, "nothing has taken the model for training before"))
    return Unclear(f"whether the model was taken for training at {min(state.at)} before", plausible=False)


def _never(project: Project, site: Site) -> bool:
    """Does no run take a model for training before it comes here?"""
    states = [prepared_before(project, c, site.function, site.node) for c in project.contexts]
    known = [state for state in states if state is not None]
    return bool(known) and all(state.seen is Seen.NEVER for state in known)


def _message(save: WeightSave) -> str:
    model = ast.unparse(save.model)
    word = save.read.func.attr if save.read and isinstance(save.read.func, ast.Attribute) else ""
    does = f"`{model}.{word}()` holds" if word else f"`{model}.save_pretrained` writes"
    return (
        f"The saved weights are empty: under ZeRO-3 {does} this rank's placeholders of shape [0] in place of "
        "the parameters, so loading them ends with `size mismatch ... torch.Size([0])`."
    )


RULE = Rule(
    code="MM109",
    name="zero3-state-dict-save-ungathered",
    summary="A state dict that is saved without a gather holds empty parameters under ZeRO-3",
    family="sharding",
    severity=Severity.ERROR,
    since="0.1.0",
    preview=True,
    options=("strategy",),
    trigger=trigger,
    pattern=pattern,
    check=check,
    fix=fix,
)
