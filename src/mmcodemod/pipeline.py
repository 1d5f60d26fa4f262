"""Composition root: tree -> index -> project -> scan -> check -> fix -> report, in one readable place."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field, replace
from typing import TYPE_CHECKING

from mmcodemod.engine.profile import OFF, Profile
from mmcodemod.engine.uncollected import uncollected
from mmcodemod.model.finding import Finding, Problem
from mmcodemod.model.frozen import frozen, mutable
from mmcodemod.model.report import Report, Stats
from mmcodemod.model.rule import Rule
from mmcodemod.source.glob import matches
from mmcodemod.source.tree import MemoryTree, Tree

if TYPE_CHECKING:
    from mmcodemod.engine.fixing import Refusal
    from mmcodemod.engine.plan import Plan
    from mmcodemod.model.callmap import CallMap, Route
    from mmcodemod.model.context import Context, Overview
    from mmcodemod.model.given import Given
    from mmcodemod.project.model import Project
    from mmcodemod.source.cache import CachingTree
    from mmcodemod.source.store import Store


def silent(_: str) -> None:
    """Tells nobody."""


@frozen()
class Settings:
    """What a user may choose for one run. Codes may be prefixes ("MM3"). `assume`: versions by package,
    whatever the tree requires. `base`: where the checked root is in the folder that the patterns of
    `per_file_ignores` speak of. `gpu_memory`: bytes of one GPU, 0 when not known. `preview`: may rules in
    preview report more than notes? `given` is the one command that is checked, None for all that the tree
    launches. `suppressions`: do the comments of the tree count? `store` is where answers are kept, `jobs` how
    many processes may work (0: as many as pay), `tell` hears what goes on, and with `profile` the report says
    where seconds went; none of these changes a finding."""

    select: tuple[str, ...] = ("MM",)
    ignore: tuple[str, ...] = ()
    per_file_ignores: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    base: str = ""
    codemods: tuple[str, ...] = ()
    assume: Mapping[str, str] = field(default_factory=dict)
    gpu_memory: int = 0
    preview: bool = False
    given: Given | None = None
    suppressions: bool = True
    store: Store | None = None
    jobs: int = 0
    tell: Callable[[str], None] = silent
    profile: bool = False

    @property
    def deciding(self) -> dict[str, object]:
        """All that changes an answer, besides the rules themselves."""
        ignores = sorted((pattern, tuple(codes)) for pattern, codes in self.per_file_ignores.items())
        given = {} if self.given is None else {"given": repr(self.given)}
        chosen = {"select": self.select, "ignore": self.ignore, "per_file_ignores": ignores}
        chosen |= {"base": self.base} if ignores else {}
        memory = {"gpu_memory": self.gpu_memory} if self.gpu_memory else {}
        bare = {} if self.suppressions else {"suppressions": False}
        preview = {"preview": True} if self.preview else {}
        return {**chosen, "assume": sorted(self.assume.items()), **memory, **preview, **given, **bare}

    def selects(self, code: str) -> bool:
        """Is a rule on? The longest prefix decides; `ignore` wins a tie."""
        on = max((len(p) for p in self.select if code.startswith(p)), default=-1)
        off = max((len(p) for p in self.ignore if code.startswith(p)), default=-1)
        return on > off

    def keeps(self, code: str, path: str) -> bool:
        """Is a rule on for this file?"""
        full = f"{self.base}/{path}" if self.base else path
        return self.selects(code) and not any(
            any(code.startswith(p) for p in codes) and matches(pattern, full)
            for pattern, codes in self.per_file_ignores.items()
        )


@frozen()
class FixResult:
    """`changed` holds the new content of every file that a verified fix changes; `fixed` the findings
    that are gone, `left` those that remain, `problems` what could not be read or fixed, `applied` the
    findings whose fix is in `changed`, with that fix, and `refused` the fixes that did not hold."""

    changed: dict[str, bytes]
    fixed: tuple[Finding, ...]
    left: tuple[Finding, ...]
    problems: tuple[Problem, ...] = ()
    applied: tuple[Finding, ...] = ()
    refused: tuple[Refusal, ...] = ()


def check(tree: Tree, settings: Settings = Settings()) -> Report:
    """Check a tree. Problems with single files are in the report; nothing is raised for them."""
    from mmcodemod.source.cache import CachingTree

    kept = CachingTree(tree)
    with uncollected():
        if settings.store is None or settings.profile:
            return _check(kept, settings)
        return _replayed(kept, settings, settings.store)


def _replayed(tree: CachingTree, settings: Settings, store: Store) -> Report:
    """The answer that is kept, or a new one. Trees in memory count by content like those on disk."""
    from mmcodemod.engine import replay

    question = replay.Question(tree, settings.deciding, settings.codemods)
    return replay.report(store, question, lambda: _check(tree, settings))


def kept(tree: Tree, settings: Settings) -> Report | None:
    """The answer that the cache has, if it has one."""
    from mmcodemod.engine import replay
    from mmcodemod.source.cache import CachingTree

    if settings.store is None:
        return None
    question = replay.Question(CachingTree(tree), settings.deciding, settings.codemods)
    return replay.kept(settings.store, question)


def _check(tree: Tree, settings: Settings) -> Report:
    from mmcodemod.engine.check import run_rules
    from mmcodemod.engine.registry import RegistryError, rules
    from mmcodemod.report.order import ordered, ordered_dismissals

    every = rules(settings.codemods)
    if not every:
        raise RegistryError(["no rules are installed: the folder of codemods is missing"])
    chosen: list[Rule] = [r for r in every if settings.selects(r.code)]
    profile = Profile(settings.profile)
    project = build_project(tree, settings, profile)
    if profile.on:
        _build_ahead(project, profile)
    with profile.stage("rules"):
        outcome = run_rules(project, chosen, settings.tell, profile, settings.preview)
    with profile.stage("suppressions and order"):
        findings = [f for f in outcome.findings if settings.keeps(f.rule, f.at.path)]
        told = tuple(ordered(_unsuppressed(tree, findings, settings)))
        dismissed = tuple(ordered_dismissals(dict.fromkeys(outcome.dismissed)))
    own = project.index.python_files
    lines = sum(project.index.files[p].lines for p in own)
    return Report(
        told,
        dismissed,
        tuple(sorted({*_problems(project), *outcome.problems})),
        project.contexts if not project.is_library or project.index.python_files else (),
        Stats(len(own), lines, outcome.scanned, profile.stages, profile.rules),
    )


def _problems(project: Project) -> set[Problem]:
    """All problems with files: asked for last, because much is read only when something asks for it."""
    return {*project.problems, *project.index.not_followed}


def _build_ahead(project: Project, profile: Profile) -> None:
    """What the first rule would have to build, so that it is not charged with it."""
    with profile.stage("call graph"):
        _ = project.graph
    with profile.stage("training contexts"):
        _ = project.contexts


def _unsuppressed(tree: Tree, findings: list[Finding], settings: Settings) -> list[Finding]:
    """What no comment silences, and what is wrong with the comments."""
    from mmcodemod.engine.registry import names
    from mmcodemod.engine.suppress import suppress

    if not settings.suppressions:
        return _once(findings)
    kept, _, unused = suppress(tree, findings, names(settings.codemods), settings.selects)
    return [*_once(kept), *(f for f in unused if settings.keeps(f.rule, f.at.path))]


def _once(findings: Iterable[Finding]) -> list[Finding]:
    """One finding per rule and place: the loudest."""
    best: dict[object, Finding] = {}
    for finding in findings:
        key = (finding.rule, finding.at)
        if key not in best or finding.severity.rank > best[key].severity.rank:
            best[key] = finding
    return list(best.values())


@frozen()
class Graph:
    """A call graph, and the path in it that was asked for."""

    shown: CallMap
    route: Route | None
    problems: tuple[Problem, ...]


def graph(tree: Tree, start: str = "", goal: str = "") -> Graph:
    """The call graph of a tree; with `start`, what that symbol reaches; with `goal`, the path to it.

    Raises:
        UnknownSymbol: when one of them means no function, or several.
    """
    from mmcodemod.project.graph_query import ask
    from mmcodemod.source.cache import CachingTree

    with uncollected():
        project = build_project(CachingTree(tree))
        shown, found = ask(project, start, goal)
        return Graph(shown, found, tuple(sorted(_problems(project))))


def build_project(tree: Tree, settings: Settings = Settings(), profile: Profile = OFF) -> Project:
    """Index a tree, read its launch files, and join both."""
    from mmcodemod.project import contexts, index
    from mmcodemod.project.loaded_configs import with_loaded
    from mmcodemod.project.mapped_arguments import with_mapped
    from mmcodemod.project.model import Project
    from mmcodemod.project.pins import Pins
    from mmcodemod.project.unsharded import with_unsharded

    def configure(project: Project, contexts: tuple[Context, ...]) -> tuple[Context, ...]:
        return with_unsharded(project, with_loaded(project, with_mapped(project, contexts)))

    problems: list[Problem] = []
    memory, tell = settings.gpu_memory, settings.tell
    tell("reading launch scripts and configurations")
    if settings.given is not None:
        pins = Pins.of(tree, settings.assume)
        launched = contexts.given_contexts(tree, problems, settings.given, pins)
        needed = tree if launched else MemoryTree({})
        indexed = index.build(needed, jobs=settings.jobs, kept=settings.store, launched=_programs(launched))
        alone = Project(
            indexed, launched, pins=pins, alone=True, gpu_memory=memory, tell=tell, configure=configure
        )
        return _with(alone, problems)
    with profile.stage("launch scripts and configurations"):
        pins = Pins.of(tree, settings.assume)
        launched, over = contexts.considered(tree, problems, pins)
        configured = contexts.configured_contexts(tree, problems, launched, pins)
    programs = _programs((*launched, *configured))
    with profile.stage("reading the code"):
        indexed = index.build(tree, jobs=settings.jobs, kept=settings.store, launched=programs)
    absent = any(one.absent for one in over)
    made = Project(
        indexed,
        launched,
        configured,
        pins,
        gpu_memory=memory,
        tell=tell,
        absent=absent,
        configure=configure,
    )
    return _with(made, problems)


def overview(tree: Tree, settings: Settings = Settings()) -> tuple[Overview, tuple[Problem, ...]]:
    """What made a training context and what did not, with the reason; and problems with single files."""
    from mmcodemod.project.contexts import considered
    from mmcodemod.project.overview import overview
    from mmcodemod.source.cache import CachingTree

    with uncollected():
        kept = CachingTree(tree)
        project = build_project(kept, settings)
        found = overview(project, considered(kept, [])[1])
        return found, tuple(sorted(_problems(project)))


@mutable()
class _Numbered:
    """Checks that say which they are."""

    settings: Settings
    number: int = 0

    def __call__(self, tree: Tree) -> Report:
        self.number += 1
        tell, prefix = self.settings.tell, "" if self.number == 1 else f"verifying, check {self.number}: "
        return check(tree, replace(self.settings, tell=lambda what: tell(prefix + what)))


def _programs(contexts: tuple[Context, ...]) -> frozenset[str]:
    """The framework models of the installed programs that runs start."""
    return frozenset(c.entry.path for c in contexts if c.entry and c.entry.library)


def _with(project: Project, problems: list[Problem]) -> Project:
    project.problems += problems
    return project


def fix(
    tree: Tree,
    settings: Settings = Settings(),
    unsafe: bool = False,
    contexts: tuple[str, ...] = (),
    plan: Plan | None = None,
) -> FixResult:
    """Apply all safe fixes (and unsafe ones when asked) in memory, verified. Writes nothing. `contexts`: only
    for findings of these; `plan` chooses instead.

    Raises:
        UnknownContext: for a name that means no context.
    """
    from mmcodemod.engine.fixing import fix_all
    from mmcodemod.engine.plan import every, of_contexts, within
    from mmcodemod.source.cache import CachingTree

    kept = CachingTree(tree)  # all checks see the same content
    chosen = plan or every(unsafe)
    chosen = within(contexts, chosen) if contexts else chosen
    fixed = fix_all(kept, _Numbered(settings), chosen)
    changed = {p: data for p, data in fixed.changed.items() if kept.read_bytes(p) != data}
    problems = tuple(sorted({*(r.problem for r in fixed.refused), *fixed.last.problems}))
    about = of_contexts(contexts, fixed.first)
    gone, left = tuple(filter(about, fixed.gone)), tuple(filter(about, fixed.last.findings))
    return FixResult(changed, gone, left, problems, fixed.applied, fixed.refused)
