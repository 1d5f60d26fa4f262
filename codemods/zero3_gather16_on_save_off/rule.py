"""MM110: under ZeRO-3 the weights that a run saves are gathered only when the configuration says so."""

from __future__ import annotations

from collections.abc import Iterator

from mmcodemod.api import (
    MISSING,
    UNKNOWN,
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
    Strategy,
    Unclear,
    config_answers,
    config_site,
    configs,
    made_by_accelerate,
    made_without_file,
    member_place,
)

from .codemod import gathered_by_accelerate, switched_on

ZERO, STAGE = "zero_optimization", "zero_optimization.stage"
KEY = "stage3_gather_16bit_weights_on_model_save"
# DeepSpeed reads the alias, the field's own name and the name of old (deepspeed/runtime/zero/config.py).
NAMES = (KEY, "gather_16bit_weights_on_model_save", "stage3_gather_fp16_weights_on_model_save")
FILLED = f"deepspeed.{ZERO}.{KEY}"  # also what Accelerate's own file says
BY_ACCELERATE = "zero3_save_16bit_model"  # off where the file has none (accelerate/utils/dataclasses.py)
# Calls that ask for whole weights, and what they do without the gather (Transformers 4.37 to 5.3, Accelerate
# 0.26 to 1.15, DeepSpeed 0.12 to 0.19).
SAVES = {
    "accelerate.Accelerator.get_state_dict": "`get_state_dict` raises ValueError",
    "accelerate.Accelerator.save_model": "`save_model` raises ValueError",
    "deepspeed.DeepSpeedEngine.save_16bit_model": "`save_16bit_model` saves nothing and returns False",
    "transformers.Trainer.save_model": "`save_model` writes DeepSpeed's shards in place of the weights",
}
BY_TRAINER = "transformers.Trainer.save_model"
# Tools that make whole weights of DeepSpeed's shards (deepspeed/utils/zero_to_fp32.py).
CONVERTERS = ("zero_to_fp32", "_fp32_state_dict", "load_state_dict_from_zero_checkpoint")
FILES = (".yaml", ".yml", ".json")
TEXTS = (".sh", ".bash", ".py", ".md", ".slurm", ".sbatch", "Makefile")


def trigger(project: Project) -> Iterator[Site]:
    """Every DeepSpeed configuration of the tree with stage 3, and every file of Accelerate, its flags and its
    plugin, of which it makes one."""
    for path, document in sorted(project.get(configs.parsed).items()):
        stage = document.root.find(STAGE) if document.root else None
        if document.root is not None and stage is not None and stage.node.value == 3:
            member = _written(document.root) or stage
            yield config_site(member_place(path, member.key_start, member.node), document.root)
    for made in (made_by_accelerate(project), made_without_file(project)):
        for at, contexts in sorted(made.items()):
            yield config_site(at, [c for c in contexts if c.strategy is Strategy.ZERO3])


def _written(root: JsonNode) -> JsonMember | None:
    """The member that decides, under any of its names."""
    found = (root.find(f"{ZERO}.{name}") for name in NAMES)
    return next((member for member in found if member is not None), None)


def check(project: Project, site: Site) -> Iterator[Finding | Dismissal]:
    if isinstance(site.data, list):
        yield from _made_by_accelerate(project, site)
        return
    member = _written(site.data)
    if member is not None and member.node.value is not False:
        yield config_answers.set_here(RULE.code, site.path, member)
        return
    off = config_answers.written(member) if member else ""
    answers = config_answers.answered(project, site.path, lambda c: _judge(project, c, site, off))
    yield from _concluded(project, site, answers, KEY, off)


def _made_by_accelerate(project: Project, site: Site) -> Iterator[Finding | Dismissal]:
    """Accelerate's own file, its flags or its plugin, which gather where `zero3_save_16bit_model` says so."""
    off = {c.id: _switched_off(site) for c in site.data if c.option(FILLED).value is False}
    answers = [(c, _judge(project, c, site, off.get(c.id, ""))) for c in site.data]
    yield from _concluded(project, site, answers, BY_ACCELERATE, next(iter(off.values()), ""))


def _switched_off(site: Site) -> str:
    return f"`{BY_ACCELERATE}: false`" if site.path.endswith(FILES) else f"`{BY_ACCELERATE}` off"


def _concluded(
    project: Project, site: Site, answers: config_answers.Answers, key: str, off: str
) -> Iterator[Finding | Dismissal]:
    def message(context: Context, answer: Answer) -> str:
        return _message(project, context, key, off)

    yield from config_answers.concluded(project, RULE.code, site.at, answers, message, f"{KEY} off")


def _judge(project: Project, context: Context, site: Site, off: str) -> Answer:
    """Does a run with this configuration ask for weights that are not gathered? `off`: what switches the
    gather off."""
    if context.entry is None:
        return Excluded(Note(site.at, "nothing in the tree runs with this configuration, so nothing saves"))
    filled = context.option(FILLED)
    if filled.value is True and filled.at is not None:
        return Excluded(Note(filled.at, "Accelerate is told to gather the weights"))
    if filled.value is UNKNOWN:
        return Unclear(f"what {BY_ACCELERATE} comes to", plausible=False)
    changed = config_answers.set_in_code(project, context.entry, *NAMES)
    if changed is not None:
        return Excluded(Note(changed, "the code switches the gather itself"))
    converted = project.get(_converter)
    if converted is not None:
        return Excluded(Note(converted, "the tree makes weights of DeepSpeed's shards afterwards"))
    return _saving(project, context, site, off)


def _saving(project: Project, context: Context, site: Site, off: str) -> Answer:
    call = _asked(project, context)
    if call is not None:
        name, at = call
        if off and name == BY_TRAINER:
            return Unclear(f"whether {off} is meant", plausible=False)
        return Fatal(Note(at, f"{SAVES[name]} here"))
    if context.option("save_strategy").value not in (MISSING, UNKNOWN, "no"):
        return Unclear("whether its checkpoints are loaded without DeepSpeed", plausible=False)
    return Excluded(Note(context.launcher or site.at, "no code of the run asks for whole weights"))


def _asked(project: Project, context: Context) -> tuple[str, Place] | None:
    """The first call of the run that asks for whole weights, and where it stands."""
    found = ((name, _called(project, context, name)) for name in SAVES)
    return next(((name, at) for name, at in found if at is not None), None)


def _called(project: Project, context: Context, name: str) -> Place | None:
    """Where the tree calls it; where the run begins, if it is an installed program that does."""
    own = config_answers.framework_call(project, context.entry, name)
    return own or config_answers.program_call(project, context, name)


def _converter(project: Project) -> Place | None:
    """Where the tree turns DeepSpeed's shards into whole weights. Use through `project.get`."""
    return config_answers.mentioned(project, CONVERTERS, TEXTS)


def _message(project: Project, context: Context, key: str, off: str) -> str:
    said = f"with {off}" if off else f'without "{key}" in the configuration'
    runs = "These runs save" if context.launcher else "A run with this configuration saves"
    asked = _asked(project, context)
    what = SAVES[asked[0]] if asked else "checkpoints hold DeepSpeed's shards alone"
    return f"{runs} no weights that `from_pretrained` can load: under ZeRO-3, {said}, {what}."


def fix(project: Project, site: Site, finding: Finding) -> Fix | None:
    """Gather on save: it costs the memory of the 16-bit model while a run saves, in every run of the file."""
    if isinstance(site.data, list) and not site.path.endswith(FILES):
        word = f"`{BY_ACCELERATE}=True`" if site.path.endswith(".py") else f"`--{BY_ACCELERATE} true`"
        return Fix(f"ask for the weights by {word}", Applicability.DISPLAY)
    text = project.index.text(site.path)
    if isinstance(site.data, list):
        edits, title = gathered_by_accelerate(text, site.path), f"set `{BY_ACCELERATE}: true`"
    else:
        off = _written(site.data)
        edits, title = switched_on(text, site.path, ZERO, off.key if off else KEY), f'set "{KEY}": true'
    return Fix(title, Applicability.SAFE, edits) if edits else None


RULE = Rule(
    code="MM110",
    name="zero3-gather16-on-save-off",
    summary="A ZeRO-3 run saves no whole weights unless the configuration gathers them on save",
    family="sharding",
    severity=Severity.WARNING,
    since="0.1.0",
    options=(FILLED, "save_strategy"),
    trigger=trigger,
    check=check,
    fix=fix,
)
