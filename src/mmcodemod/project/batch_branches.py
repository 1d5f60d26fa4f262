"""Branches on a modality (`branches`): why no rank is left without the modules of one side, and which batches
lack the modality. What rules share on modules that only some ranks run."""

from __future__ import annotations

import ast

from mmcodemod.facts.python import FunctionFacts
from mmcodemod.model.context import Entry
from mmcodemod.model.finding import Note
from mmcodemod.model.place import Place
from mmcodemod.project.batch_keys import batch_key
from mmcodemod.project.branches import Branch, function_scope, modality_tests
from mmcodemod.project.collate import collators, omissions, stand_in
from mmcodemod.project.emission import Availability, availability, key_there, starts_empty
from mmcodemod.project.filled_before import filled_before
from mmcodemod.project.flow import flow_of
from mmcodemod.project.inference import inference_only
from mmcodemod.project.made_once import made_once
from mmcodemod.project.modality import MODALITY, Atom, Kind, asked_keys, means_present
from mmcodemod.project.model import Project
from mmcodemod.project.module_calls import ModuleCalls
from mmcodemod.project.short_results import Lacking, short_result
from mmcodemod.project.standins import stand_in_of

_MEMBER = (ast.In, ast.NotIn)
Reason = tuple[str, tuple[Note, ...]]


def in_step(project: Project, branch: Branch) -> Reason | None:
    """Why all ranks run the same modules in each step, with the lines that say so; else None."""
    if branch.picks:
        return _inference(project, branch)
    return (
        _model_side(project, branch)
        or _inference(project, branch)
        or _run_wide(project, branch)
        or _filled_before(project, branch)
        or _data_side(project, branch)
    )


def in_loop(project: Project, branch: Branch) -> bool:
    """Does a loop decide how often the modules run? Then MM203 counts."""
    around = flow_of(project, branch.facts.id).loop_of(branch.node)
    return around is not None and around is not branch.loop


def _model_side(project: Project, branch: Branch) -> Reason | None:
    """The other side, or another branch of the function, runs the same modules with a stand-in."""
    if branch.lone:
        return _stand_in(project, branch)
    if not branch.shared:
        return None
    fallback = branch.false if means_present(branch.atoms[0].node) else branch.true
    names = ", ".join(sorted(branch.shared))
    note = Note(Place(branch.facts.path, fallback[0].call.lineno), f"runs {names} when the batch has none")
    return f"both sides run {names}", (note,)


def _stand_in(project: Project, branch: Branch) -> Reason | None:
    call = stand_in_of(branch.facts, project.get(modality_tests).get(branch.facts.id, []))
    if call is None or any(c.call is call for c in (*branch.true, *branch.false)):
        return None  # on a side of this test alone it helps only those who take that side
    if not project.get(ModuleCalls).of(call, branch.frame).modules & branch.lone:
        return None
    note = Note(Place(branch.facts.path, call.lineno), "runs on a stand-in when the batch has none")
    return "another branch runs the modules on a stand-in", (note,)


def _inference(project: Project, branch: Branch) -> Reason | None:
    at = inference_only(project, branch.facts)
    return ("runs only for inference", (Note(at, project.line(at.path, at.line)),)) if at else None


def _run_wide(project: Project, branch: Branch) -> Reason | None:
    """What is asked for is made once in a run, as data sets are, and not by each batch."""
    made = [[] if a.key else made_once(project, branch.facts, a.name) for a in branch.atoms]
    if not all(made):
        return None
    places = dict.fromkeys(place for several in made for place in several)
    notes = tuple(Note(place, "made here, once, before the steps") for place in places)
    return "no batch decides: what is asked for is made once in a run", notes


def _filled_before(project: Project, branch: Branch) -> Reason | None:
    """A stand-in has taken the place of what is missing before it is asked for."""
    places = [filled_before(project, branch.facts, atom) for atom in branch.atoms]
    if not places or None in places:
        return None
    notes = tuple(Note(p, "a batch that has none gets a stand-in here") for p in places if p is not None)
    return "a stand-in is put there before the test", tuple(dict.fromkeys(notes))


def _data_side(project: Project, branch: Branch) -> Reason | None:
    """Every batch has the modality: the dataset or the collator puts a stand-in, or always sets the key."""
    evidence: list[Note] = []
    for atom in branch.atoms:
        keys = list(batch_key(project, branch.facts, atom))
        if not _asks_for_none(atom.node) and any(starts_empty(project, key) for key in keys):
            return None
        known = [_known(project, atom, key, None) for key in keys]
        if not any(a.known for a in known) or any(a.known is False for a in known):
            return None
        evidence += [note for a in known if a.known for note in a.evidence]
    if not evidence:
        return None
    reason = "every batch has the modality: it is always set, or samples without one get a stand-in"
    return reason, tuple(dict.fromkeys(evidence))


def _known(project: Project, atom: Atom, key: str, entry: Entry | None) -> Availability:
    """Is there what a test asks for in every batch? `"images" in batch` asks for no more than the key."""
    found = availability(project, key, entry)
    asks_key = atom.key and isinstance(atom.node, ast.Compare) and isinstance(atom.node.ops[0], _MEMBER)
    there = key_there(project, key, entry) if asks_key and not found.known else found
    return there if there.known else found


def _asks_for_none(node: ast.expr) -> bool:
    """`images is None` or `"images" in batch`: an empty list is there, too."""
    return isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.Is, ast.IsNot, *_MEMBER))


def lacking(project: Project, branch: Branch, entry: Entry | None) -> tuple[str, tuple[Note, ...]]:
    """("" when a batch without the modality is proven possible in the runs from an entry, else the unknown
    fact; the evidence)."""
    if branch.picks:
        return f"whether two ranks get another `{branch.test}` in one step", ()
    vain = _in_vain(project, branch, entry) if entry else None
    if vain is not None:
        asked = f"`{vain.key}`, which the side without the modality does not return ({vain.at})"
        return f"whether any batch lacks the modality: that rank would die for want of {asked}", ()
    keys: list[str] = []
    for atom in branch.atoms:
        for key in batch_key(project, branch.facts, atom):
            found = _known(project, atom, key, entry)
            if found.lacking:
                return "", found.evidence
            keys.append(key)
    left_out = _left_out(project, entry)
    if left_out:
        return "", left_out
    named = " and ".join(f"`{k}`" for k in dict.fromkeys(keys)) or "the modality"
    return f"whether every batch has {named}: nothing in the tree always sets it", ()


def _in_vain(project: Project, branch: Branch, entry: Entry) -> Lacking | None:
    """What the callers ask for, where the side that runs none of the modules returns too little."""
    if not isinstance(branch.node, ast.If):
        return None
    here = any(c.modules & branch.lone for c in branch.true)
    return short_result(project, branch.facts.id, branch.node.orelse if here else branch.node.body, entry)


def without(project: Project, facts: FunctionFacts, entry: Entry | None) -> tuple[Note, ...]:
    """The lines that leave a modality, which parameters of a function bring, out of samples of the runs from
    an entry."""
    found = []
    for name in facts.parameters.names:
        if MODALITY.search(name):
            atom = Atom(ast.Name(name, ast.Load()), Kind.PRESENCE, name)
            known = [availability(project, key, entry) for key in batch_key(project, facts, atom)]
            found += [note for a in known if a.lacking for note in a.evidence]
    return tuple(dict.fromkeys(found))


def _left_out(project: Project, entry: Entry | None) -> tuple[Note, ...]:
    """Where the collators that training runs leave out of a batch what a dataset has left out of a sample."""
    found, reached = [], project.trained if entry is None else project.reach(entry)
    for facts in collators(project):
        if facts.id in reached and stand_in(project, facts) is None:
            for omission in omissions(project, facts)[:2]:
                asked = asked_keys(omission.test.test, function_scope(project, omission.where))
                if not any(availability(project, key, entry).lacking for key in asked):
                    continue
                at = Place(omission.where.path, omission.test.lineno)
                found.append(Note(at, f"a batch gets the modality {omission.condition}"))
    return tuple(found)
