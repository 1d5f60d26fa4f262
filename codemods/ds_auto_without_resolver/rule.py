"""MM504: "auto" is left in a configuration that `deepspeed.initialize` reads itself."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import partial

from mmcodemod.api import (
    Answer,
    Applicability,
    Context,
    Dismissal,
    Excluded,
    Fatal,
    Finding,
    Fix,
    JsonNode,
    Note,
    Place,
    Project,
    Rule,
    Severity,
    Site,
    Unclear,
    conclude,
    config_answers,
    config_site,
    configs,
    dies_untold,
    ds_initialize,
    given_dictionary,
    member_place,
    open_to_change,
    own_nodes,
    weigh,
)

AUTO = "auto"
# What DeepSpeed 0.14.4 and 0.19.8 stop at (tried); sections that it reads with pydantic (zero_optimization,
# bf16, fp16, ...) take defaults instead (deepspeed/runtime/config_utils.py, `DeepSpeedConfigModel.__init__`).
KEYS = (
    "train_batch_size",
    "train_micro_batch_size_per_gpu",
    "gradient_accumulation_steps",
    "gradient_clipping",
    "steps_per_print",
    "communication_data_type",
)
SECTIONS = (
    "optimizer",
    "scheduler",
)  # type and params go to the classes that they name
# Defaults of TrainingArguments, `gradient_accumulation_steps` and `max_grad_norm`
PLAIN = {"gradient_accumulation_steps": "1", "gradient_clipping": "1.0"}
RESOLVERS = ("HfTrainerDeepSpeedConfig", "DeepSpeedPlugin")  # library code that writes values in their place
OTHERS = ("transformers.Trainer", "accelerate.Accelerator")


def trigger(project: Project) -> Iterator[Site]:
    """The first "auto" of each configuration, in a file or in a dict of the code, that stops DeepSpeed."""
    for path, document in sorted(project.get(configs.parsed).items()):
        found = _left(document.root) if document.root else {}
        if found:
            first = document.root.find(next(iter(found)))  # type: ignore[union-attr]
            yield config_site(member_place(path, first.key_start, first.node), tuple(found))  # type: ignore[union-attr]
    seen: set[Place] = set()
    for made in project.get(ds_initialize.initialized):
        for one in _in_code(project, made):
            if one.at not in seen:
                seen.add(one.at)
                yield one


def _in_code(project: Project, made: ds_initialize.Initialized) -> Iterator[Site]:
    """The first "auto" that is left when the dict gets there; where that does not show, of the dict that was
    written."""
    given = given_dictionary(project, made)
    if given is not None:
        left = [(k, o.at) for k, o in given.items() if o.value == AUTO and o.at and _stops(k)]
        keys = tuple(key for key, _ in left)
        yield from (
            Site(at.path, at, function=made.function, node=made.call, data=keys) for _, at in left[:1]
        )
        return
    for origin in ds_initialize.written(project, made):
        found = dict(_left_in_code(origin.expr))
        if found:
            path = origin.function.partition("::")[0]
            at = project.place(path, next(iter(found.values())))
            yield Site(path, at, function=origin.function, node=origin.expr, data=tuple(found))


def _left(root: JsonNode) -> dict[str, None]:
    """The dotted keys, in the order of the file."""
    return {key: None for key, member in root.leaves() if member.node.value == AUTO and _stops(key)}


def _left_in_code(expr: ast.expr, prefix: str = "") -> Iterator[tuple[str, ast.expr]]:
    pairs = zip(expr.keys, expr.values) if isinstance(expr, ast.Dict) else ()
    for key, value in pairs:
        name = f"{prefix}{key.value!s}" if isinstance(key, ast.Constant) else ""
        if name and isinstance(value, ast.Constant) and value.value == AUTO and _stops(name):
            yield name, value
        elif name:
            yield from _left_in_code(value, f"{name}.")


def _stops(key: str) -> bool:
    return key in KEYS or key.partition(".")[0] in SECTIONS


def check(project: Project, site: Site) -> Iterator[Finding | Dismissal]:
    if site.function:
        judge = partial(_judge_code, project, site)
        verdict = weigh(project, site.function, judge)
        yield conclude(RULE.code, site, verdict, _message(site), _names(site.data))
        return
    answers = [(c, a) for c in configs.users(project, site.path) if (a := _judge_file(project, site, c))]

    def message(context: Context, answer: Answer) -> str:
        return _message(site)

    yield from config_answers.concluded(
        project, RULE.code, site.at, answers, message, _names(site.data), ends=dies_untold
    )


def _judge_code(project: Project, site: Site, context: Context) -> Answer:
    """As for a file, where the dict is the one that DeepSpeed gets."""
    answer = _judge(project, site, context)
    if isinstance(answer, Excluded) or isinstance(site.node, ast.Call):
        return answer
    made = [m for m in ds_initialize.in_run(project, context) if _is_of(project, m, site)]
    changed = any(open_to_change(project, m) for m in made)
    return Unclear("what the code does to the dict", plausible=False) if changed else answer


def _is_of(project: Project, made: ds_initialize.Initialized, site: Site) -> bool:
    return any(origin.expr is site.node for origin in ds_initialize.written(project, made))


def _judge_file(project: Project, site: Site, context: Context) -> Answer | None:
    """Does DeepSpeed read the file itself in this run? None where nothing of the tree shows who does."""
    reader = config_answers.reader(project, context)
    if reader is config_answers.Reader.HF:
        at = context.launcher or Place(context.configs[0], 1)
        return Excluded(Note(at, 'the Trainer or Accelerate writes values in place of "auto"'))
    if context.entry is None or reader is config_answers.Reader.UNKNOWN:
        return None
    resolved = _judge(project, site, context)
    if isinstance(resolved, Excluded):
        return resolved
    made = ds_initialize.in_run(project, context)
    if made and all(ds_initialize.of_the_code(project, m) for m in made):
        return None
    if any(ds_initialize.reads(project, context, m, site.path) for m in made):
        return resolved
    return Unclear("whether `deepspeed.initialize` is given this file", plausible=False)


def _judge(project: Project, site: Site, context: Context) -> Answer:
    """Does code of the run write values in place of "auto"?"""
    if any(project.uses(name, context.entry) for name in OTHERS):
        at = context.launcher or site.at
        return Excluded(Note(at, 'the Trainer or Accelerate writes values in place of "auto"'))
    changed = [
        config_answers.set_in_code(project, context.entry, key.rpartition(".")[2]) for key in site.data
    ]
    first = min((at for at in changed if at is not None), default=None)
    if first is not None:
        return Excluded(Note(first, "the code sets the value itself"))
    resolved = _resolved(project, context)
    return Excluded(Note(resolved, 'the code looks for "auto" itself')) if resolved else Fatal()


def _resolved(project: Project, context: Context) -> Place | None:
    """Where code of the run compares something with "auto", or calls library code that resolves it."""
    reach = project.reach(context.entry) if context.entry else None
    found = [at for function, at in project.get(_resolvers) if reach is None or function in reach]
    return min(found, default=None)


def _resolvers(project: Project) -> list[tuple[str, Place]]:
    """Use through `project.get`."""
    found = [
        (facts.id, project.place(facts.path, node))
        for facts in project.mentioning('"auto"', "'auto'")
        for node in own_nodes(facts.node)
        if isinstance(node, ast.Compare) and any(_is_auto(e) for e in (node.left, *node.comparators))
    ]
    for frame, calls in project.graph.external.items():
        for outside in calls:
            if outside.name.endswith(RESOLVERS):
                found.append((frame.function, project.place(frame.function.partition("::")[0], outside.site)))
    return found


def _is_auto(expr: ast.expr) -> bool:
    parts = expr.elts if isinstance(expr, ast.Tuple | ast.List | ast.Set) else [expr]
    return any(isinstance(p, ast.Constant) and p.value == AUTO for p in parts)


def _names(keys: tuple[str, ...]) -> str:
    return ", ".join(f'"{key}"' for key in keys)


def _message(site: Site) -> str:
    more = f" (and {_names(site.data[1:])})" if len(site.data) > 1 else ""
    return (
        f'`deepspeed.initialize` stops at "{site.data[0]}": "auto"{more}: only the Trainer and Accelerate '
        "write values in its place, and nothing does in this run."
    )


def fix(project: Project, site: Site, finding: Finding) -> Fix:
    """What the Trainer writes unless it is told otherwise, where nothing else is left and no other run fills
    it in. Which batch size or learning rate is meant only the owner of the run knows."""
    if not site.function and set(site.data) <= set(PLAIN) and _all_stop(project, site):
        root = project.get(configs.parsed)[site.path].root
        members = [(key, root.find(key)) for key in site.data] if root else []
        edits = tuple(config_answers.replaced(site.path, m.node, PLAIN[key]) for key, m in members if m)
        written = " and ".join(f'"{key}": {PLAIN[key]}' for key in site.data)
        return Fix(f"write {written}, which the Trainer takes by default", Applicability.UNSAFE, edits)
    return Fix(f'write a value in place of "auto" for {_names(site.data)}', Applicability.DISPLAY)


def _all_stop(project: Project, site: Site) -> bool:
    users = configs.users(project, site.path)
    return all(isinstance(_judge_file(project, site, context), Fatal) for context in users)


RULE = Rule(
    code="MM504",
    name="ds-auto-without-resolver",
    summary='"auto" is left in a configuration that deepspeed.initialize reads itself',
    family="launch",
    severity=Severity.ERROR,
    since="0.1.0",
    options=("deepspeed_config",),
    trigger=trigger,
    check=check,
    fix=fix,
)
