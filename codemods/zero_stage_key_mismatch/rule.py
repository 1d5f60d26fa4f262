"""MM507: keys below zero_optimization that the stage of the same object ignores or refuses."""

from __future__ import annotations

from collections.abc import Iterator
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
    JsonMember,
    JsonNode,
    Note,
    Place,
    Project,
    Rule,
    Severity,
    Site,
    Unclear,
    config_answers,
    config_site,
    configs,
    deepspeed_gates,
    dies_untold,
    edit_json,
    member_place,
    set_in_code,
    versions,
)

ZERO, STAGE, PARTITIONED = "zero_optimization", "stage", 3
OFFLOADED = ("cpu", "nvme")
RATIO, SUM = "ratio", "gradient_allreduce_op"
WITHOUT = {RATIO: "the whole optimizer is offloaded", SUM: "gradients are averaged"}  # DeepSpeed's defaults


class Clash:
    """A member that does not go with the stage; `since` is the release from which DeepSpeed stops, "" for a
    member that is only not read, and `keys` lead to it; `loud` is for one that somebody relies on."""

    def __init__(
        self, member: JsonMember, text: str, since: str = "", keys: tuple[str, ...] = (), loud: bool = False
    ) -> None:
        self.member, self.text, self.since, self.keys, self.loud = member, text, since, keys, loud


def trigger(project: Project) -> Iterator[Site]:
    """Every member that does not go with the stage."""
    for path, document in sorted(project.get(configs.parsed).items()):
        root = document.root
        zero = root.get(ZERO) if root else None
        stage = _stage(zero) if zero else None
        if root is not None and zero is not None and stage is not None:
            for find in (_unread, _offload, _ratio, _sum):
                for clash in find(root, zero, stage):
                    at = member_place(path, clash.member.key_start, clash.member.node)
                    yield config_site(at, (clash, root.find(f"{ZERO}.{STAGE}")))


def _stage(zero: JsonNode) -> int | None:
    """The stage, None where it is not written as a number: without the key it is 0, and ZeRO off."""
    found = zero.get(STAGE)
    return found.value if found and isinstance(found.value, int) and found.kind == "number" else None


def _unread(root: JsonNode, zero: JsonNode, stage: int) -> Iterator[Clash]:
    found = [m for m in zero.members if m.key.startswith("stage3_")]
    if stage < PARTITIONED and found:
        names = " and ".join([f'"{found[0].key}"', *([f"{len(found) - 1} more"] if len(found) > 1 else [])])
        yield Clash(found[0], f"ZeRO-{stage} does not read {names} of stage 3")


def _offload(root: JsonNode, zero: JsonNode, stage: int) -> Iterator[Clash]:
    member, device = zero.member("offload_param"), zero.get("offload_param.device")
    if member and stage < PARTITIONED and device and device.value in OFFLOADED:
        text = f'ZeRO-{stage} does not read "offload_param": the parameters stay on the GPUs'
        yield Clash(member, text, loud=True)


def _ratio(root: JsonNode, zero: JsonNode, stage: int) -> Iterator[Clash]:
    member = zero.find("offload_optimizer.ratio")
    value = member.node.value if member else None
    if member and stage != PARTITIONED and isinstance(value, (int, float)) and value < 1:
        text = f'DeepSpeed stops with "Partial offloading only supported for ZeRO Stage 3." at stage {stage}'
        yield Clash(member, text, deepspeed_gates.RATIO_CHECKED, (ZERO, "offload_optimizer", RATIO))


def _sum(root: JsonNode, zero: JsonNode, stage: int) -> Iterator[Clash]:
    member = root.member(SUM)
    if member and stage == PARTITIONED and str(member.node.value).lower() == "sum":
        text = "DeepSpeed stops with \"gradient_allreduce_op='sum' is not supported with ZeRO stage 3\""
        yield Clash(member, text, deepspeed_gates.SUM_CHECKED, (member.key,))


def check(project: Project, site: Site) -> Iterator[Finding | Dismissal]:
    clash, _ = site.data
    answers = config_answers.answered(project, site.path, lambda context: _judge(project, context, clash))
    most = Severity.ERROR if clash.since else Severity.WARNING
    concluded = config_answers.concluded(
        project,
        RULE.code,
        site.at,
        answers,
        lambda *_: f"{clash.text}.",
        clash.member.key,
        lambda _: most,
        dies_untold,
    )
    for found in concluded:
        yield replace(found, related=_where(site)) if isinstance(found, Finding) else found


def _judge(project: Project, context: Context, clash: Clash) -> Answer:
    at = _stage_in_code(project, context)
    if at is not None:
        return Excluded(Note(at, f'the code sets "{STAGE}" itself'))
    if not clash.since:
        return Fatal() if clash.loud else Unclear("", plausible=False)
    old = versions.below(context, "deepspeed", clash.since)
    if old is None:
        return Unclear(f"the deepspeed version: {clash.since} stops, older ones may not", plausible=True)
    pin = versions.pinned(context, "deepspeed", f", {clash.since} or later" if not old else ", which goes on")
    return Excluded(pin) if old and pin else Fatal(pin)


def _stage_in_code(project: Project, context: Context) -> Place | None:
    reach = project.reach(context.entry) if context.entry else None
    places = [at for function, at in set_in_code(project, STAGE) if reach is None or function in reach]
    return places[0] if places else None


# -- what is said -------------------------------------------------------------------------------------------


def _where(site: Site) -> tuple[Note, ...]:
    stage = site.data[1]
    return (Note(member_place(site.path, stage.key_start, stage.node), "the stage"),) if stage else ()


def fix(project: Project, site: Site, finding: Finding) -> Fix:
    """Whether the stage or the key is meant, the tree does not say; no run starts with both where DeepSpeed
    stops, and the key is what goes without other code. Shown where the code gives some run another stage."""
    clash: Clash = site.data[0]
    key = clash.member.key
    fixed = all(_stage_in_code(project, c) is None for c in configs.users(project, site.path))
    edits = edit_json.remove(project.index.text(site.path), site.path, clash.keys) if fixed else ()
    if edits:
        return Fix(f'take "{key}" out: {WITHOUT[key]}', Applicability.UNSAFE, edits)
    other = f'take "{key}" out, or set "{STAGE}" to {PARTITIONED}'
    return Fix(f'take "{key}" out' if key == SUM else other, Applicability.DISPLAY)


RULE = Rule(
    code="MM507",
    name="zero-stage-key-mismatch",
    summary="A key below zero_optimization that its stage ignores or refuses",
    family="launch",
    severity=Severity.ERROR,
    since="0.1.0",
    options=("deepspeed.zero_optimization.stage",),
    trigger=trigger,
    check=check,
    fix=fix,
)
