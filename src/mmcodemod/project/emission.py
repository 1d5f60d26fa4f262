"""Does every sample or batch carry a key of a modality? A must-analysis: "always" is claimed only when every
producer always sets the key; anything else is conditional or unknown."""

from __future__ import annotations

from mmcodemod.facts.python import FunctionFacts
from mmcodemod.model.context import Entry
from mmcodemod.model.finding import Note
from mmcodemod.model.frozen import frozen
from mmcodemod.model.place import Place
from mmcodemod.project.emitting import Emission, Emits, emission_of, key_emission_of
from mmcodemod.project.filled_late import filled_late
from mmcodemod.project.makers import SAMPLES, makers
from mmcodemod.project.model import Project
from mmcodemod.project.replenished import replenished
from mmcodemod.project.set_by_name import may_set_by_name

PRODUCERS = ("__getitem__", "__call__", "__iter__", "collate_fn", "data_collator", "collate", "torch_call")


@frozen()
class Availability:
    """`known` is None when no producer is in the tree, True when the key is always there, False when some
    path leaves it out. `evidence` are the deciding lines. `else_set`: where some path seems to leave it out,
    another line sets it under another test, which may well be met then."""

    known: bool | None
    evidence: tuple[Note, ...] = ()
    else_set: bool = False

    @property
    def lacking(self) -> bool:
        """Does a path leave it out, as far as everything that sets it shows?"""
        return self.known is False and not self.else_set


def availability(project: Project, key: str, entry: Entry | None = None) -> Availability:
    """Is `key` in every batch, of the runs from one entry or of all? Memoised."""
    memo, about = project.get(_memo), (key, entry)
    if about not in memo:
        memo[about] = Availability(None)  # a key that needs itself is not known
        found = _availability(project, key, entry)
        memo[about] = Availability(None) if found.lacking and _by_name(project, key) else found
    return memo[about]


def key_there(project: Project, key: str, entry: Entry | None = None) -> Availability:
    """Is `key` in every batch, of the runs from one entry or of all, with None at times? Asked where no more
    is known of it."""
    found = [e for e in project.once(_key_emissions, key) if e.emits is not Emits.NEVER]
    found = _of_run(project, found, entry)
    if not found or any(e.emits is not Emits.ALWAYS for e in found):
        return Availability(None)
    notes = (_note(e, line, f"`{key}` is set here, or None is put there") for e in found for line in e.lines)
    return Availability(True, tuple(notes))


def _by_name(project: Project, key: str) -> bool:
    """May a producer that training reaches set the key in a loop over names of its own?"""
    trained = (project.index.function(f) for f in project.trained if not f.startswith("<"))
    return any(
        is_producer(project, f) and may_set_by_name(project, f, key) for f in trained if not f.is_module
    )


def _memo(project: Project) -> dict[tuple[str, Entry | None], Availability]:
    return {}


def _availability(project: Project, key: str, entry: Entry | None) -> Availability:
    late = filled_late(project, key, entry)
    if late:
        return Availability(True, late)
    emissions = _of_run(project, [e for e in emissions_of(project, key) if e.emits is not Emits.NEVER], entry)
    if not emissions:
        filled = replenished(project, key)
        return Availability(True if filled else None, filled)
    good: list[Note] = []
    for emission in emissions:
        found = _settle(project, emission, key, entry)
        if found.known is not True:
            return found
        good += found.evidence
    return Availability(True, tuple(dict.fromkeys(good)))


def _trained(project: Project, emissions: list[Emission]) -> list[Emission]:
    """Producers that training reaches; all of them when none is."""
    reached = [e for e in emissions if e.function.id in project.trained]
    return reached or emissions


def _of_run(project: Project, emissions: list[Emission], entry: Entry | None) -> list[Emission]:
    """Those of them that the runs from an entry reach; all where no training is seen to reach any."""
    trained = _built(project, _trained(project, _last_to_set(project, emissions)))
    if entry is None or not any(e.function.id in project.trained for e in trained):
        return trained
    return [e for e in trained if e.function.id in project.reach(entry)]


def _last_to_set(project: Project, emissions: list[Emission]) -> list[Emission]:
    """Without what only helps others to make their samples, which always set the key themselves."""
    sure = {e.function.id for e in emissions if e.emits is Emits.ALWAYS}
    return [e for e in emissions if e.function.id in sure or not _serves(project, e.function.id, sure)]


def _built(project: Project, emissions: list[Emission]) -> list[Emission]:
    """Without the datasets where collators make the batches of samples, and all of these set the key
    themselves, on each way or on several."""
    batches = [e for e in emissions if not is_dataset(project, e.function)]
    sets = bool(batches) and all(e.emits is Emits.ALWAYS or _else_set(e) for e in batches)
    others = project.get(_batch_makers) - {e.function.id for e in emissions}
    helps = {e.function.id for e in batches}
    return batches if sets and all(_serves(project, other, helps) for other in others) else emissions


def _batch_makers(project: Project) -> frozenset[str]:
    """The collators that training reaches. Use through `project.get`."""
    reached = [project.index.function(f) for f in project.trained if not f.startswith("<")]
    makers = [f for f in reached if is_producer(project, f) and not is_dataset(project, f)]
    return frozenset(f.id for f in makers if "collat" in f.qualname.lower())


def _serves(project: Project, function: str, makers: set[str]) -> bool:
    """Do only these call a function?"""
    callers = {edge.caller.function for edge in project.callers(function) if edge.site is not None}
    return bool(callers) and callers <= makers


def _settle(project: Project, emission: Emission, key: str, entry: Entry | None) -> Availability:
    """Is the key always there as far as this producer goes? Conditions on other keys are followed."""
    notes = tuple(_note(emission, line, f"`{key}` is set here") for line in emission.lines)
    if emission.emits is Emits.ALWAYS:
        return Availability(True, notes[-1:])
    if emission.cleared:
        return _or_none(project, emission, key, entry)
    several = _else_set(emission)
    if not emission.needs:
        return Availability(None if emission.left_to_callers else False, notes[:1], several)
    evidence: list[Note] = []
    for needed in sorted(emission.needs - {key}) or [key]:
        found = _from_datasets(project, needed, entry)
        if found.known is not True:
            return Availability(found.known, found.evidence or notes[:1], several or found.else_set)
        evidence += found.evidence
    return Availability(True, tuple(evidence))


def _or_none(project: Project, emission: Emission, key: str, entry: Entry | None) -> Availability:
    """There unless no sample of the batch has what the collator gathers."""
    asked = [_from_datasets(project, needed, entry) for needed in sorted(emission.needs)]
    if asked and all(found.known for found in asked):
        return Availability(True, tuple(note for found in asked for note in found.evidence))
    return Availability(
        False, (_note(emission, emission.cleared, f"`{key}` is None where no sample has any"),)
    )


def gaps(project: Project, key: str, depth: int = 0) -> list[Emission]:
    """The datasets on whose samples it depends alone that `key` is not in every batch; [] when a collator
    decides by anything else, or when no dataset of the tree sets what it asks for."""
    if depth > 3:
        return []
    every = _trained(project, [e for e in emissions_of(project, key) if e.emits is not Emits.NEVER])
    datasets = [e for e in every if is_dataset(project, e.function)]
    found = {e.function.id: e for e in datasets if e.emits is Emits.CONDITIONAL}
    for emission in every:
        if emission in datasets or emission.emits is Emits.ALWAYS:
            continue
        if emission.needs == {key} and datasets:
            continue  # the collator asks for what these datasets set
        inner = [g for asked in sorted(emission.needs - {key}) for g in gaps(project, asked, depth + 1)]
        if not inner:
            return []
        found |= {g.function.id: g for g in inner}
    return list(found.values())


def is_dataset(project: Project, facts: FunctionFacts) -> bool:
    """Does it make samples, not batches?"""
    return facts.name in SAMPLES or facts.id in project.get(makers)


def _from_datasets(project: Project, key: str, entry: Entry | None) -> Availability:
    """Do the datasets always set the key that a collator asks for?"""
    found = [e for e in emissions_of(project, key) if is_dataset(project, e.function)]
    found = _of_run(project, [e for e in found if e.emits is not Emits.NEVER], entry)
    if not found:
        return Availability(None)
    for emission in found:
        if emission.emits is not Emits.ALWAYS:
            several = _else_set(emission)
            only = "" if several else " only"
            notes = (_note(emission, n, f"`{key}` is set{only} here") for n in emission.lines)
            return Availability(False, tuple(notes)[: 2 if several else 1], several)
    return Availability(True, tuple(_always_set(emission, key) for emission in found))


def _always_set(emission: Emission, key: str) -> Note:
    """Each way through sets it on one of the lines; told at the last, often the one for all other samples."""
    *before, last = dict.fromkeys(emission.lines)
    others = f" or on line {' or '.join(map(str, before))}" if before else ""
    return _note(emission, last, f"every sample has `{key}`: it is set here{others}")


def _else_set(emission: Emission) -> bool:
    """Do several lines set it, under tests of their own?"""
    return len(emission.lines) > 1


def _note(emission: Emission, line: int, text: str) -> Note:
    return Note(Place(emission.function.path, line), text)


def emissions_of(project: Project, key: str) -> list[Emission]:
    """How the datasets and collators of the tree set a key."""
    return project.once(_emissions, key)


def _emissions(project: Project, key: str) -> list[Emission]:
    return [emission_of(project, f, key) for f in project.mentioning(key) if is_producer(project, f)]


def _key_emissions(project: Project, key: str) -> list[Emission]:
    return [key_emission_of(project, f, key) for f in project.mentioning(key) if is_producer(project, f)]


def starts_empty(project: Project, key: str) -> bool:
    """Does a collator that training reaches put an empty list under a key, for the samples to fill?"""
    found = [e for e in _trained(project, emissions_of(project, key)) if e.empty]
    return any(not is_dataset(project, e.function) for e in found)


def is_producer(project: Project, facts: FunctionFacts) -> bool:
    """Is it a function that makes samples or batches?"""
    named = facts.name in PRODUCERS or "collat" in facts.name.lower()
    return named or facts.id in project.get(makers)
