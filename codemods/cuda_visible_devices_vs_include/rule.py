"""MM509: the deepspeed launcher ignores CUDA_VISIBLE_DEVICES beside --include, --exclude or --num_gpus."""

from __future__ import annotations

from collections.abc import Iterator

from mmcodemod.api import (
    MISSING,
    UNKNOWN,
    Answer,
    Applicability,
    Context,
    Death,
    Dismissal,
    Excluded,
    Fatal,
    Finding,
    Fix,
    Note,
    Option,
    Place,
    Project,
    Rule,
    Severity,
    Site,
    Unclear,
    config_answers,
    config_site,
    dies_untold,
    names_devices,
)

from .codemod import included

VARIABLE = "CUDA_VISIBLE_DEVICES"
# deepspeed/launcher/runner.py, `parse_args` and `main` (read in 0.9.0 to 0.19.3)
INCLUDE, EXCLUDE, COUNT = ("include", "i"), ("exclude", "e"), ("num_gpus", "num_accelerators")
HOSTS = ("hostfile", "H")


def trigger(project: Project) -> Iterator[Site]:
    """Each place that sets the variable for commands of the deepspeed launcher that choose devices, too."""
    found: dict[Place, list[Context]] = {}
    for context in project.contexts:
        at = context.option(f"env.{VARIABLE}").at
        if context.launched_by == "deepspeed" and at is not None and _chosen(context)[1].value is not MISSING:
            found.setdefault(at, []).append(context)
    for at, contexts in sorted(found.items(), key=lambda pair: pair[0]):
        yield config_site(at, contexts)


def _chosen(context: Context) -> tuple[str, Option]:
    """The flag of the launcher that chooses devices, as written, and its value."""
    for name in (*INCLUDE, *EXCLUDE, *COUNT, "num_nodes"):
        option = context.option(f"launcher.{name}")
        if option.value is not MISSING:
            return ("-" if len(name) == 1 else "--") + name, option
    return "", Option(MISSING)


def check(project: Project, site: Site) -> Iterator[Finding | Dismissal]:
    answers = [(c, a) for c in site.data if (a := _answer(project, c)) is not None]
    yield from config_answers.concluded(project, RULE.code, site.at, answers, _message, VARIABLE, ends=_ends)


def _answer(project: Project, context: Context) -> Answer | None:
    """As the launch says, unless the program names its devices itself: then the launcher's choice is lost."""
    answer = _judge(context)
    own = None if answer is None or isinstance(answer, Excluded) else names_devices(project, context)
    return answer if own is None or _refused(context) else own


def _ends(project: Project, context: Context) -> Death | None:
    """What stops a run before the devices matter."""
    return None if _refused(context) else dies_untold(project, context)


def _refused(context: Context) -> bool:
    """Does the launcher stop before the program runs?"""
    return _chosen(context)[0] == "--num_nodes"


def _judge(context: Context) -> Answer | None:
    """Does the launcher take other devices than those that are visible? None where nothing is set."""
    for name in HOSTS:
        hosts = context.option(f"launcher.{name}")
        if hosts.at is not None:
            return Excluded(Note(hosts.at, f"--{name} names the devices of each machine"))
    machines = context.option("launcher.num_nodes")
    if machines.at is not None and machines.value != 1:
        return Excluded(Note(machines.at, "--num_nodes: a hostfile names the devices of each machine"))
    visible, (flag, option) = context.option(f"env.{VARIABLE}"), _chosen(context)
    if visible.value == "" or option.at is None:
        return None
    if flag == "--num_nodes":
        return Fatal(Note(option.at, "beside the devices that the variable names"))
    if visible.value is UNKNOWN:
        return Unclear(f"which devices {VARIABLE} names", plausible=False)
    devices = str(visible.value).replace(" ", "").split(",")
    if _same(flag, option, devices):
        return Excluded(Note(option.at, f"{flag} takes no other devices than {VARIABLE} names"))
    return Fatal(Note(option.at, f"{flag} decides alone"))


def _same(flag: str, option: Option, devices: list[str]) -> bool:
    """May the launcher take what the variable names? `--num_gpus N` takes the first N of the machine."""
    first = [str(number) for number in range(len(devices))]
    name = flag.lstrip("-")
    if name in COUNT:
        if not isinstance(option.value, int):
            return devices == first
        count = option.value
        return count <= 0 or {str(n) for n in range(count)} == set(devices[:count])
    if name in INCLUDE and isinstance(option.value, str):
        slots = option.value.partition(":")[2]
        return bool(slots) and "@" not in slots and set(slots.split(",")) <= set(devices)
    return option.value is UNKNOWN


def _message(context: Context, answer: Answer) -> str:
    visible, (flag, option) = context.option(f"env.{VARIABLE}"), _chosen(context)
    if flag == "--num_nodes":
        return (
            f"The deepspeed launcher turns {VARIABLE} into --include, which excludes --num_nodes: it stops "
            'with "Cannot specify num_nodes/gpus with include/exclude".'
        )
    given = f"{VARIABLE}={visible.value}" if visible.known else VARIABLE
    value = f" {option.value}" if option.known else ""
    takes = _takes(flag, option)
    return f"The deepspeed launcher ignores {given} beside {flag}{value}: {takes}."


def _takes(flag: str, option: Option) -> str:
    if flag.lstrip("-") in COUNT and isinstance(option.value, int):
        last = option.value - 1
        return f"the run takes the GPUs 0 to {last} of the machine" if last else "the run takes GPU 0"
    return "the run takes the devices that the flag leaves, counted over the whole machine"


def fix(project: Project, site: Site, finding: Finding) -> Fix | None:
    """Name the devices in the flag; where they are not sure, only say so."""
    context = site.data[0]
    flag, option = _chosen(context)
    if flag == "--num_nodes":
        return Fix("leave out --num_nodes", Applicability.DISPLAY)
    devices = _first(context, flag, option)
    if len(site.data) > 1 or not devices or option.at is None:
        return Fix("name the devices of this machine in --include alone", Applicability.DISPLAY)
    title = f"name the devices in the flag: --include localhost:{','.join(devices)}"
    edits = included(project.index.text(site.path), context, site.at, option.at, devices)
    return Fix(title, Applicability.UNSAFE if edits else Applicability.DISPLAY, edits)


def _first(context: Context, flag: str, option: Option) -> list[str]:
    """As many devices of the variable as the flag counts; none where it does not count, or they are fewer."""
    visible = context.option(f"env.{VARIABLE}")
    if flag.lstrip("-") not in COUNT or not isinstance(option.value, int) or not visible.known:
        return []
    devices = str(visible.value).split(",")[: option.value]
    return devices if len(devices) == option.value else []


RULE = Rule(
    code="MM509",
    name="cuda-visible-devices-vs-include",
    summary="The deepspeed launcher ignores CUDA_VISIBLE_DEVICES beside --include, --exclude or --num_gpus",
    family="launch",
    severity=Severity.WARNING,
    since="0.1.0",
    preview=True,
    options=(f"env.{VARIABLE}", *(f"launcher.{n}" for n in (*INCLUDE, *EXCLUDE, *COUNT, *HOSTS))),
    trigger=trigger,
    check=check,
    fix=fix,
)
