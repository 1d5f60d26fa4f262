"""MM307: a precision that a DeepSpeed configuration switches otherwise than the training arguments."""

from __future__ import annotations

from collections.abc import Iterator

from mmcodemod.api import (
    MISSING,
    SWITCHES,
    UNKNOWN,
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
    Option,
    Place,
    Project,
    Rule,
    Severity,
    Site,
    Unclear,
    argument,
    config_answers,
    config_site,
    configs,
    dies_untold,
    member_place,
    precision_asked,
    users_of,
)

from .codemod import switched_by_trainer

APEX = "fp16_backend"  # "apex" means another key, in transformers before 5

Judged = tuple[Context, Answer, Option]


def trigger(project: Project) -> Iterator[Site]:
    """Every `enabled` of a precision that is not "auto"."""
    for path, document in sorted(project.get(configs.parsed).items()):
        if document.root and all(_is_on(document.root, name) for name in SWITCHES):
            continue  # MM306 says it
        for name in SWITCHES:
            member = document.root.find(f"{name}.enabled") if document.root else None
            if member is not None and member.node.kind in ("bool", "number", "string"):
                if member.node.value != "auto":
                    yield config_site(member_place(path, member.key_start, member.node), (name, member.node))


def _is_on(root: JsonNode, name: str) -> bool:
    member = root.find(f"{name}.enabled")
    return member is not None and member.node.value is True


def check(project: Project, site: Site) -> Iterator[Finding | Dismissal]:
    name, node = site.data
    judged = [j for c in users_of(project, site.path)[0] if (j := _judge(project, c, name, node))]
    wanted = {c.id: w for c, _, w in judged}

    def message(context: Context, answer: Answer) -> str:
        return _message(name, node, answer, wanted[context.id])

    answers = [(c, a) for c, a, _ in judged]
    yield from config_answers.concluded(
        project, RULE.code, site.at, answers, message, f"{name}.enabled", ends=dies_untold
    )


def _judge(project: Project, context: Context, name: str, node: JsonNode) -> Judged | None:
    """Does the Trainer stop in this run? None where nothing is compared."""
    if configs.changed_by_code(context, f"{name}.enabled"):
        return None
    if name == "fp16" and argument(project, context, APEX).value == "apex":
        return None
    wanted = precision_asked(project, context, name)
    if wanted.value is MISSING:
        return None
    if wanted.value is UNKNOWN:
        return context, Unclear(wanted.note, '"$@"' in wanted.note), wanted
    if node.value != wanted.value:
        return context, Fatal(Note(wanted.at, _is(name, wanted)) if wanted.at else None), wanted
    at = wanted.at or context.launcher or member_place(context.configs[0], node.start, node)
    return context, Excluded(Note(at, f"{_is(name, wanted)}, as in the configuration")), wanted


# -- what is said -------------------------------------------------------------------------------------------


def _is(name: str, wanted: Option) -> str:
    if wanted.value is True or wanted.at:
        return f"{name} is {str(wanted.value).lower()} in the arguments"
    return f"nothing switches {name} on in the arguments"


def _message(name: str, node: JsonNode, answer: Answer, wanted: Option) -> str:
    written = f'"{name}.enabled" is {node.raw or node.value} in the DeepSpeed configuration'
    stops = "the Trainer stops before the first step"
    if isinstance(answer, Unclear):
        return f"{written}, and {stops} unless {name} is the same."
    return f"{stops[0].upper()}{stops[1:]}: {written}, and {_is(name, wanted)}."


def fix(project: Project, site: Site, finding: Finding) -> Fix | None:
    """Write "auto" where the launch says a precision; else it would train in another than the file asks."""
    name, node = site.data
    users, others = users_of(project, site.path)
    if others:
        title = (
            f'let "{name}.enabled" be "auto", which only the Trainer fills in: other runs use this file, too'
        )
        return Fix(title, Applicability.DISPLAY)
    if node.value is True and not all(_chosen(project, c) for c in users):
        return Fix(f"launch with `--{name} True`, as the file asks", Applicability.DISPLAY)
    edits = switched_by_trainer(site.path, node)
    return Fix(f'set "{name}.enabled" to "auto": the arguments decide', Applicability.SAFE, edits)


def _chosen(project: Project, context: Context) -> Place | None:
    """Where the run says which precision it wants."""
    every = [argument(project, context, name) for names in SWITCHES.values() for name in names]
    return next((option.at for option in every if option.at), None)


RULE = Rule(
    code="MM307",
    name="precision-mismatch",
    summary="A DeepSpeed configuration switches fp16 or bf16 otherwise than the training arguments",
    family="numerics",
    severity=Severity.ERROR,
    since="0.1.0",
    preview=True,
    options=("fp16", "bf16", "fp16_full_eval", "bf16_full_eval"),
    trigger=trigger,
    check=check,
    fix=fix,
)
