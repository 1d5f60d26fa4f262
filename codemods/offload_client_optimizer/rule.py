"""MM505: the optimizer is offloaded, and the code gives DeepSpeed another one than its own for the CPU."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.api import (
    Answer,
    Applicability,
    Context,
    Dismissal,
    Excluded,
    Fatal,
    Finding,
    Fix,
    Note,
    Origins,
    Place,
    Project,
    Rule,
    Severity,
    Site,
    Unclear,
    config_answers,
    config_site,
    configs,
    dies_untold,
    ds_initialize,
    member_place,
    trained,
    versions,
)

from .codemod import allowed

OFFLOAD, FORCE, OPTIMIZER = "offload_optimizer", "zero_force_ds_cpu_optimizer", "optimizer"
TRIED = "cpu"  # the device that an optimizer of torch was tried on, at stages 1 to 3
DEVICES = (TRIED, "nvme")
OWN = ("DeepSpeedCPUAdam", "DeepSpeedCPULion")  # what the engine accepts (deepspeed/runtime/engine.py)
ADAM = ("torch.optim.Adam", "torch.optim.AdamW")  # what ZeRO takes without `zero_allow_untested_optimizer`
RAISES = "0.8.3"  # deepspeedai/DeepSpeed#2971
# From 0.18.0 on `Accelerator.prepare` puts DeepSpeedCPUAdam in its place (read in 0.17.1 and 0.18.0),
# and from 4.30 on the Trainer uses Accelerate (read in 4.29.2 and 4.30.0).
REPLACES, ACCELERATED = "0.18.0", "4.30.0"


def trigger(project: Project) -> Iterator[Site]:
    """Every DeepSpeed configuration that offloads the optimizer."""
    for path, document in sorted(project.get(configs.parsed).items()):
        member = document.root.find(f"zero_optimization.{OFFLOAD}") if document.root else None
        device = member.node.get("device") if member else None
        if member and device and device.value in DEVICES:
            yield config_site(member_place(path, member.key_start, member.node), document.root)


def check(project: Project, site: Site) -> Iterator[Finding | Dismissal]:
    force = site.data.member(FORCE)
    if force is not None and force.node.value is False:
        yield config_answers.set_here(RULE.code, site.path, force)
        return
    answers = _answers(project, site)
    yield from config_answers.concluded(
        project,
        RULE.code,
        site.at,
        answers,
        lambda c, a: _message(project, site, c),
        OFFLOAD,
        ends=dies_untold,
    )


def _answers(project: Project, site: Site) -> list[tuple[Context, Answer]]:
    users = configs.users(project, site.path)
    return [(c, a) for c in users if (a := _judge(project, site, c))]


def _judge(project: Project, site: Site, context: Context) -> Answer | None:
    """Does DeepSpeed refuse the optimizer of this run? None where the run gives it none."""
    reader = config_answers.reader(project, context)
    if context.entry is None or reader is config_answers.Reader.UNKNOWN:
        return None
    if reader is config_answers.Reader.HF:
        return _under_hf(project, site, context)
    changed = config_answers.set_in_code(project, context.entry, FORCE, OFFLOAD)
    if changed is not None:
        return Excluded(Note(changed, "the code changes the configuration itself"))
    given = [m for m in ds_initialize.in_run(project, context) if m.optimizer is not None]
    answers = [a for made in given if (a := _given(project, site, context, made))]
    return next((a for a in answers if isinstance(a, Fatal)), next(iter(answers), None))


def _under_hf(project: Project, site: Site, context: Context) -> Answer | None:
    """The Trainer and Accelerate: by their versions."""
    if site.data.member(OPTIMIZER) is not None:
        return None  # DeepSpeed builds the optimizer
    trainer = project.uses("transformers.Trainer", context.entry)
    package, version = ("transformers", ACCELERATED) if trainer else ("accelerate", REPLACES)
    old = versions.below(context, package, version)
    if old:
        return _raises(context) or Fatal(versions.pinned(context, package, f", older than {version}"))
    if old is None and not trainer:
        return Unclear(f"the accelerate version: before {REPLACES} it keeps the optimizer", plausible=False)
    at = context.launcher or Place(context.configs[0], 1)
    return Excluded(Note(at, "Accelerate puts DeepSpeedCPUAdam in the place of the optimizer"))


def _raises(context: Context) -> Answer | None:
    """What the version of DeepSpeed changes; None where nothing shows it to be that old."""
    old = versions.below(context, "deepspeed", RAISES)
    pin = versions.pinned(context, "deepspeed", f", older than {RAISES}: it takes any optimizer")
    return Excluded(pin) if old and pin else None


def _given(project: Project, site: Site, context: Context, made: ds_initialize.Initialized) -> Answer | None:
    """What one call of `deepspeed.initialize` is given as optimizer."""
    if _is_none(made.optimizer) or ds_initialize.of_the_code(project, made):
        return None
    assert made.optimizer is not None
    built = trained.builders(project, made.optimizer, made.function)
    if not built or any(_is_none(o.expr) for o in Origins(project).of(made.optimizer, made.function)):
        return Unclear("what the optimizer is that `deepspeed.initialize` is given", plausible=False)
    at = project.place(built[0].function.partition("::")[0], built[0].expr)
    names = _names(project, made)
    own = next((n for n in names if n.endswith(OWN)), None)
    if own is not None:
        return Excluded(Note(at, f"{own.rpartition('.')[2]} is the optimizer that DeepSpeed wants"))
    if not ds_initialize.reads(project, context, made, site.path):
        return Unclear("whether `deepspeed.initialize` is given this file", plausible=False)
    return _raises(context) or Fatal(Note(at, "the optimizer of the code"))


def _names(project: Project, made: ds_initialize.Initialized) -> list[str]:
    """The library classes that the optimizer of a call may be of."""
    built = trained.builders(project, made.optimizer, made.function) if made.optimizer else []
    calls = [(b.expr, b.function) for b in built if isinstance(b.expr, ast.Call)]
    return sorted({name for call, function in calls for name in project.names(call.func, function)})


def _is_none(expr: ast.expr | None) -> bool:
    return isinstance(expr, ast.Constant) and expr.value is None


def _message(project: Project, site: Site, context: Context) -> str:
    device = site.data.get(f"zero_optimization.{OFFLOAD}.device").value
    named = [n for made in ds_initialize.in_run(project, context) for n in _names(project, made)]
    what = f"`{named[0].rpartition('.')[2]}`" if named else "an optimizer"
    ignored = ' The "optimizer" of this file is not used.' if site.data.member(OPTIMIZER) else ""
    return (
        f'DeepSpeed stops at the start ("You are using ZeRO-Offload with a client provided optimizer"): the '
        f'optimizer is offloaded to "{device}", and the code builds {what} itself.{ignored}'
    )


def fix(project: Project, site: Site, finding: Finding) -> Fix | None:
    """Let DeepSpeed take the optimizer that the code builds, where every run of the file builds an Adam."""
    answers = _answers(project, site)
    raw = all(config_answers.reader(project, c) is config_answers.Reader.DEEPSPEED for c, _ in answers)
    named = {n for c, _ in answers for m in ds_initialize.in_run(project, c) for n in _names(project, m)}
    device = site.data.get(f"zero_optimization.{OFFLOAD}.device").value
    if not raw or device != TRIED or not named <= set(ADAM) or site.data.member(FORCE) is not None:
        title = "build `deepspeed.ops.adam.DeepSpeedCPUAdam`, or give no optimizer and let DeepSpeed build it"
        return Fix(title, Applicability.DISPLAY)
    edits = allowed(project.index.text(site.path), site.path, FORCE)
    if edits is None:
        return None
    title = f'add "{FORCE}": false: the optimizer of the code runs on the CPU (DeepSpeedCPUAdam is faster)'
    return Fix(title, Applicability.SAFE, edits)


RULE = Rule(
    code="MM505",
    name="offload-client-optimizer",
    summary="The optimizer is offloaded, and the code gives DeepSpeed another one than its own for the CPU",
    family="launch",
    severity=Severity.ERROR,
    since="0.1.0",
    preview=True,
    options=("deepspeed_config",),
    trigger=trigger,
    check=check,
    fix=fix,
)
