"""Lets all ranks end their loops together.

before: if stopper(loss):
            break
after:  stop = torch.tensor(float(stopper(loss)), device=next(model.parameters()).device)
        torch.distributed.all_reduce(stop, op=torch.distributed.ReduceOp.MAX)
        if stop.item():
            break

before: if stopper(loss):
            break
after:  if stopper(loss):
            accelerator.set_trigger()
        if accelerator.check_trigger():
            break
"""

from __future__ import annotations

import ast

from mmcodemod.api import (
    Applicability,
    Edit,
    Finding,
    Fix,
    Project,
    Site,
    agreed,
    all_come,
    stops,
    together,
    wrappers,
)

NAMES = ("stop", "stop_training", "stop_on_all_ranks")
BY = (wrappers.DDP, wrappers.FSDP, wrappers.ENGINE)  # where there is a process group


def fix(project: Project, site: Site, finding: Finding) -> Fix:
    """A trigger of accelerate, or one reduced flag; shown only where the loop is left in another way."""
    stop: stops.Stop = site.data
    if stop.passed.accelerated:
        edits = _trigger(project, site, stop)
        title = "set a trigger of accelerate on this rank, and stop all ranks where any of them has"
    else:
        edits = _reduced(project, site, stop)
        title = "reduce the decision with `all_reduce(MAX)`, so that all ranks stop or none does"
    return Fix(title, Applicability.UNSAFE if edits else Applicability.DISPLAY, edits)


def _reduced(project: Project, site: Site, stop: stops.Stop) -> tuple[Edit, ...]:
    wrapped = together.wrapped_for(project, stop.passed, stop.function)
    if wrapped is None or wrapped.call is None or wrapped.wrap is None or wrapped.wrap.by not in BY:
        return ()
    model = wrapped.call.func
    here = stop.passed.function == stop.function and stop.leaver in site.node.body
    return agreed(project, site, NAMES, model.id) if here and isinstance(model, ast.Name) else ()


def _trigger(project: Project, site: Site, stop: stops.Stop) -> tuple[Edit, ...]:
    """Where `break` is the last that the `if` does."""
    receiver = stop.passed.receiver
    last = site.node.body[-1]
    simple = last is stop.leaver and isinstance(last, ast.Break) and not site.node.orelse
    here = stop.passed.function == stop.function and isinstance(receiver, ast.Name)
    line = project.index.lines(site.path)[last.lineno - 1]
    if not simple or not here or not all_come(project, site) or line.strip() != "break":
        return ()
    outer, inner = (" " * (project.place(site.path, n).column - 1) for n in (site.node, last))
    if line[: len(inner)] != inner:
        return ()
    name, at = ast.unparse(receiver), project.place(site.path, last)
    text = f"{name}.set_trigger()\n{outer}if {name}.check_trigger():\n{inner}break"
    if "\r\n" in project.index.text(site.path):
        text = text.replace("\n", "\r\n")
    return (Edit(site.path, (at.line, at.column), (at.last_line, at.end_column), text),)
