"""Which requirement of a framework holds for an entry, and what overrides it.

What holds is what stands nearest: of the folders above the entry for which something is required, the
closest one. Inside of that folder

- a requirement with a specifier counts before one without;
- files of the folder itself count before Dockerfiles, scripts and environments kept in a folder of their own;
- what a lock file resolved counts, and the ranges that allow it do not; nor do they beside an exact pin that
  every installation needs (in pyproject.toml, setup.py, setup.cfg, requirements.txt);
- beside a file like `ds_req.txt`, which nobody is bound to install from, what else holds counts as much;
- a requirements file elsewhere that a README, Dockerfile or script installs together with the project in that
  folder counts where it contradicts what the folder requires;
- a requirements file that install commands name counts beside what a project in its folder or below states,
  where they never install that project: which of the two is there is open;
- a requirement without a specifier counts beside a pin of another file where the two files contradict each
  other on another framework: they describe two environments;
- what is left and differs (two pins, a pin and a range that excludes it, two extras) holds just as much: a
  question is answered only when all of it gives the same answer.

Install commands of a README count only when nothing else names a version, and those of other pages after
them (`docs/` stands for its parent). `--assume` counts before all.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace

from mmcodemod.facts.dependencies import is_abbreviated
from mmcodemod.facts.versions import allows, compatible, pinned_version
from mmcodemod.model.context import Dependency, Source, Stated
from mmcodemod.model.frozen import frozen
from mmcodemod.project.requirements import PACKAGING, Stands, requirements
from mmcodemod.source.tree import Tree

FRAMEWORKS = (
    "deepspeed", "torch", "transformers", "accelerate", "peft", "trl", "lightning", "pytorch-lightning",
)  # fmt: skip
MAX_DIFFERENT = 20  # more specifiers of one package than these are as good as none

_SOURCES = tuple(Source)


@frozen()
class Pins:
    """What a tree requires, by normalised name, and the versions that the user assumes instead."""

    found: Mapping[str, Sequence[Stands]]
    assumed: Mapping[str, str] = field(default_factory=dict)
    _near: dict[str, dict[str, Dependency]] = field(default_factory=dict, compare=False)  # by folder

    @staticmethod
    def of(tree: Tree, assumed: Mapping[str, str] | None = None) -> Pins:
        return Pins(requirements(tree), assumed or {})

    def holding(self, entry_path: str) -> dict[str, Dependency]:
        """For each framework what is required where the entry lies; an assumed version of anything."""
        folder = posixpath.dirname(entry_path)
        if folder not in self._near:
            near = ((name, _nearest(self.found.get(name, ()), entry_path)) for name in FRAMEWORKS)
            self._near[folder] = {name: self._beside(found) for name, found in near if found}
        assumed = {n: Dependency(n, f"=={v}", None, Source.ASSUMED) for n, v in self.assumed.items()}
        return {**self._near[folder], **assumed}

    def _beside(self, pinned: Dependency) -> Dependency:
        """The same, with what another environment leaves open."""
        stated = self.found.get(pinned.name, ())
        own = [s for s in stated if s.at == pinned.at and pinned_version(pinned.spec)]
        bare = [s for s in stated if not s.found.spec and any(self._part(s, o) for o in own)]
        return _with(pinned, bare) or pinned

    def _part(self, one: Stands, other: Stands) -> bool:
        """Do the files of two requirements of one folder contradict each other on a framework?"""
        if one.folder != other.folder or one.at.path == other.at.path or one.joined or one.instead:
            return False
        for name in FRAMEWORKS:
            here = [s.found.spec for s in self.found.get(name, ()) if s.at.path == one.at.path]
            there = [s.found.spec for s in self.found.get(name, ()) if s.at.path == other.at.path]
            if any(a and b and not compatible(a, b) for a in here for b in there):
                return True
        return False


def _nearest(found: Sequence[Stands], entry_path: str) -> Dependency | None:
    above = [(d, s) for s in found if not s.instead and (d := _distance(s.folder, entry_path)) is not None]
    own = [(d, s) for d, s in above if not s.joined and s.found.source is not Source.README]
    stated = _closest(own)
    if all(is_abbreviated(s.at.path) for s in stated):
        stated = [*stated, *_closest([(d, s) for d, s in own if not is_abbreviated(s.at.path)])]
    if stated and stated[0].found.spec:
        dependency = _dependency([*stated, *(s for s in found if _replaces(s, stated))])
        return _with(dependency, [s for s in found if _instead(s, stated)])
    read = _closest([(d, s) for d, s in above if s.found.source is Source.README and s.found.spec])
    return _dependency(read or stated)


def _replaces(stands: Stands, stated: Sequence[Stands]) -> bool:
    """Does a requirements file, installed together with the project, ask for what the project excludes?"""
    here = stands.joined and stands.folder in {s.folder for s in stated}
    git = stands.found.spec.startswith("@")
    return here and not any(compatible(stands.found.spec, s.found.spec) and not git for s in stated)


def _instead(stands: Stands, stated: Sequence[Stands]) -> bool:
    """Is it what install commands take, while none installs the project that states something else?"""
    packaged = all(posixpath.basename(s.at.path) in PACKAGING for s in stated)
    other = all(stands.found.spec != s.found.spec for s in stated)
    home = stands.folder in {s.folder for s in stated}
    return stands.instead and bool(stands.found.spec) and packaged and other and home


def _with(dependency: Dependency | None, others: Sequence[Stands]) -> Dependency | None:
    """What may hold beside it, whether it allows the same version or not."""
    known = {dependency.spec, *(o.spec for o in dependency.others)} if dependency else set()
    further = [s for s in _different(others) if s.found.spec not in known]
    if dependency is None or not further:
        return dependency
    stated = (Stated(s.found.spec, s.at) for s in further[:MAX_DIFFERENT])
    return replace(dependency, others=(*dependency.others, *stated))


def _closest(ranked: Sequence[tuple[int, Stands]]) -> list[Stands]:
    """Those of the nearest folder; with a specifier before without, of the folder itself before aside."""

    def rank(pair: tuple[int, Stands]) -> tuple[int, bool, bool]:
        return pair[0], not pair[1].found.spec, pair[1].aside

    best = min(map(rank, ranked), default=None)
    return [pair[1] for pair in ranked if rank(pair) == best]


def _dependency(group: Sequence[Stands]) -> Dependency | None:
    """The first of what may hold; the others beside it."""
    different = _different(group)
    if not different:
        return None
    if len(different) > MAX_DIFFERENT:
        return Dependency(different[0].found.name, "", different[0].at, different[0].found.source)
    first, *others = _holding(different)
    stated = tuple(Stated(other.found.spec, other.at) for other in others)
    return Dependency(first.found.name, first.found.spec, first.at, first.found.source, stated)


def _holding(group: list[Stands]) -> list[Stands]:
    """What settles the version and what contradicts it; all when nothing settles it."""
    settling = [s for s in group if s.found.source is Source.LOCK] or [s for s in group if _settles(s)]
    if not settling:
        return group
    versions = [v for s in settling if (v := pinned_version(s.found.spec))]
    return [*settling, *(s for s in group if s not in settling and not _agrees(s, versions, settling[0]))]


def _agrees(stands: Stands, versions: Sequence[str], settled: Stands) -> bool:
    """Does it allow what is settled? A requirement from git does when a lock file resolved it."""
    if stands.found.spec.startswith("@"):
        return settled.found.source is Source.LOCK
    return not versions or any(allows(stands.found.spec, version) for version in versions)


def _settles(stands: Stands) -> bool:
    """Is it an exact version that every installation needs?"""
    name = posixpath.basename(stands.at.path)
    variant = name.endswith(".txt") and name != "requirements.txt"
    firm = stands.found.source is Source.REQUIREMENT and not stands.found.conditional and not variant
    return firm and pinned_version(stands.found.spec) is not None


def _different(group: Iterable[Stands]) -> list[Stands]:
    """One for each specifier, in order of kind (what settles first), path and line."""
    first: dict[str, Stands] = {}
    for stands in sorted(group, key=_order):
        first.setdefault(stands.found.spec, stands)
    return list(first.values())


def _order(stands: Stands) -> tuple[int, bool, str, int]:
    return _SOURCES.index(stands.found.source), not _settles(stands), stands.at.path, stands.at.line


def _distance(folder: str, entry_path: str) -> int | None:
    """Folders between the requirement and the entry; None when it belongs to another part of the tree."""
    if folder and not entry_path.startswith(folder + "/"):
        return None
    return entry_path.count("/") - (folder.count("/") + 1 if folder else 0)
