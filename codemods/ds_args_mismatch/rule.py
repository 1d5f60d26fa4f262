"""MM502: a number in a DeepSpeed configuration that differs from the training argument stops the Trainer."""

from __future__ import annotations

from collections.abc import Iterator

from mmcodemod.api import (
    Answer,
    Applicability,
    Context,
    Dismissal,
    Finding,
    Fix,
    JsonNode,
    Option,
    Project,
    Rule,
    Severity,
    Site,
    Unclear,
    config_answers,
    config_site,
    dies_untold,
    member_place,
    users_of,
)
from mmcodemod.api import (
    compared_values as compared,
)

from .codemod import filled_in


def trigger(project: Project) -> Iterator[Site]:
    """Every value of a DeepSpeed configuration that the Trainer compares, and that is not "auto"."""
    for path, key, member in compared.compared_values(project):
        yield config_site(member_place(path, member.key_start, member.node), (key, member.node))


def check(project: Project, site: Site) -> Iterator[Finding | Dismissal]:
    key, node = site.data
    judged = [j for c in users_of(project, site.path)[0] if (j := compared.compare(project, c, key, node))]
    wanted = {c.id: w for c, _, w in judged}

    def message(context: Context, answer: Answer) -> str:
        return _message(key, node, answer, wanted[context.id])

    answers = [(c, a) for c, a, _ in judged]
    yield from config_answers.concluded(project, RULE.code, site.at, answers, message, key, ends=dies_untold)


# -- what is said -------------------------------------------------------------------------------------------


def _message(key: str, node: JsonNode, answer: Answer, wanted: Option) -> str:
    text = ", a text," if node.kind == "string" else ""
    written = f'"{key}" is {_raw(node)}{text} in the DeepSpeed configuration'
    if isinstance(answer, Unclear):
        stops = f'the Trainer stops with "{compared.MISMATCH}"'
        return f"{written}, and {stops} unless {compared.named(key)} is the same."
    stops = f'The Trainer stops before the first step with "{compared.MISMATCH}"'
    return f"{stops}: {written}, and {compared.says(key, wanted)}."


def _raw(node: JsonNode) -> str:
    return str(compared.value_of(node)) if node.kind == "array" else node.raw or str(node.value)


def fix(project: Project, site: Site, finding: Finding) -> Fix | None:
    """Write "auto". Unsafe where a default would take the place of the number; shown where others use it."""
    key, node = site.data
    users, others = users_of(project, site.path)
    if others:
        title = f'let "{key}" be "auto", which only the Trainer fills in: other runs use this file, too'
        return Fix(title, Applicability.DISPLAY)
    given = [compared.compare(project, c, key, node) for c in users]
    chosen = all(j is None or j[2].at is not None for j in given)
    edits = filled_in(site.path, node)
    title = f'set "{key}" to "auto": {compared.named(key)} decides'
    return Fix(title, Applicability.SAFE if chosen else Applicability.UNSAFE, edits)


RULE = Rule(
    code="MM502",
    name="ds-args-mismatch",
    summary="A number in a DeepSpeed configuration differs from the training argument, and the Trainer stops",
    family="launch",
    severity=Severity.ERROR,
    since="0.1.0",
    preview=True,
    options=(
        *sorted({*compared.ARGUMENTS.values()}),
        "adam_beta1",
        "adam_beta2",
        "warmup_steps",
        "max_steps",
    ),
    trigger=trigger,
    check=check,
    fix=fix,
)
