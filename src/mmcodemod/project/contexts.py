"""Training contexts: every launch of the tree, joined with its configuration and its dependencies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import accumulate

from mmcodemod.facts.node import Node
from mmcodemod.knowledge.consoles import BY_NAME, LLAMAFACTORY, Console
from mmcodemod.model.context import MAX_COMMAND, Context, Entry, Origin, PassedOver
from mmcodemod.model.finding import Problem
from mmcodemod.model.frozen import frozen
from mmcodemod.model.given import COMMAND, Given
from mmcodemod.model.option import Option
from mmcodemod.model.place import Place
from mmcodemod.model.secrets import MASK, is_secret, masked
from mmcodemod.project.accelerate_config import UNREAD
from mmcodemod.project.console_scripts import console_scripts
from mmcodemod.project.deepspeed_config import (
    deepspeed_configs,
    deepspeed_documents,
    rewritten,
    root_strategy,
)
from mmcodemod.project.flags import PASSED_ON, deepspeed_options, positionals
from mmcodemod.project.given_command import command_of, script_of
from mmcodemod.project.installed import (
    Installed,
    configuration,
    entry_of,
    installed,
    missing_here,
    runs,
    settled,
    started_processes,
)
from mmcodemod.project.launch_files import PAGES, RECORD, Found, commands
from mmcodemod.project.launch_words import is_placeholder
from mmcodemod.project.launchers import Launch, launch_of
from mmcodemod.project.paths import Where
from mmcodemod.project.pins import Pins
from mmcodemod.project.run_options import RunOptions, file_options, python_options, run_options
from mmcodemod.project.sources import Sources
from mmcodemod.project.strategy import strategy_of
from mmcodemod.project.subcommands import handed_on
from mmcodemod.project.training_defaults import training_default
from mmcodemod.project.training_signs import asks_for_training, only_predicts, shows_help, trains
from mmcodemod.source.tree import Tree

__all__ = [
    "configured_contexts",
    "deepspeed_configs",
    "given_contexts",
    "launch_contexts",
    "started",
    "training_default",
]

_FILES = (".py", ".json", ".yaml", ".yml")
_PREDICTS = "it asks for evaluation or prediction alone"
_HELPS = "it asks for the options of the program alone"
_LAUNCHERS = ("deepspeed", "torch", "accelerate")
_ABSENT = "is not in the tree"
_NO_CONFIG = "the configuration that it names is not known"


def launch_contexts(tree: Tree, problems: list[Problem], pins: Pins | None = None) -> tuple[Context, ...]:
    """Every way in which a script, a makefile or a README of the tree starts training, scripts first. `pins`:
    what the tree requires, when it is known."""
    return considered(tree, problems, pins)[0]


def considered(
    tree: Tree, problems: list[Problem], pins: Pins | None = None
) -> tuple[tuple[Context, ...], tuple[PassedOver, ...]]:
    """The contexts of all launches, and the launches that make none, with the reason."""
    world = _World.of(Sources(tree, problems), pins)
    found = [world.launched(command) for command in commands(world.sources, world.names)]
    launched = [c for c in found if isinstance(c, Context)]
    configurable = _configurable(launched)
    unclear = [c for c in launched if c.entry in configurable]
    over = [p for p in found if isinstance(p, PassedOver)]
    over += [passed_over(c.launcher, _NO_CONFIG) for c in unclear if c.launcher]
    return _unique(c for c in launched if c.entry not in configurable), tuple(over)


def started(sources: Sources, pins: Pins) -> Iterator[tuple[str, Found]]:
    """The files of the tree that its commands start, whether they train or not, each with the command."""
    world = _World.of(sources, pins)
    for found in commands(sources, world.names):
        launch = launch_of(found.command, world.consoles, world.libraries)
        entry = world.entry(launch, world.where(found, launch))[0] if launch else None
        if entry is not None:
            yield entry.path, found


def configured_python(sources: Sources, path: str, entry: Entry | None, pins: Pins) -> Context:
    """A configuration written in Python that nothing launches; `entry` is what takes such configurations."""
    run = python_options(sources, path)
    strategy, decided = strategy_of("configured", run, Place(path, 1))
    found = replace(entry, config=path) if entry else None
    needed = pins.holding(entry.path if entry else path)
    return Context(path, found, None, strategy, Origin.CONFIGURED, "", (path,), decided, run, needed)


def passed_over(launcher: Place, reason: str) -> PassedOver:
    """A launch that makes no context."""
    return PassedOver(launcher.path, launcher.line, "launch", reason)


def _configurable(contexts: list[Context]) -> set[Entry | None]:
    """Entries that other launches give a configuration written in Python: `xtuner train $CONFIG` alone does
    not say what it builds."""
    return {replace(c.entry, config="") for c in contexts if c.entry and c.entry.config}


def given_contexts(
    tree: Tree, problems: list[Problem], given: Given, pins: Pins | None = None
) -> tuple[Context, ...]:
    """The ways in which one command starts training: one, or all of the script that it runs. `tree` holds the
    text of the command under `COMMAND`."""
    world = _World.of(Sources(tree, problems), pins)
    script = script_of(given, world.sources.paths)
    if script is not None:
        every = launch_contexts(tree, problems, pins)
        return tuple(c for c in every if c.launcher and c.launcher.path == script)
    found = world.launched(Found(COMMAND, command_of(given)))
    return (found,) if isinstance(found, Context) else ()


def configured_contexts(
    tree: Tree,
    problems: list[Problem],
    launched: tuple[Context, ...] | None = None,
    pins: Pins | None = None,
) -> tuple[Context, ...]:
    """Training configurations that no launch uses. `launched`: the launch contexts, when they are known."""
    contexts = launch_contexts(tree, []) if launched is None else launched
    world = _World.of(Sources(tree, problems), pins)
    used = {str(path) for c in contexts for path in (*c.configs, c.option(UNREAD).value, *rewritten(c))}
    alone = [world.configured(p, c) for p, c in _training_files(world.sources) if p not in used]
    training = [c for c in alone if not only_predicts(c.options)]
    used |= {path for c in training for path in c.configs}
    documents = deepspeed_documents(world.sources).items()
    return (*training, *(world.deepspeed_only(p, d.root) for p, d in documents if d.root and p not in used))


def _training_files(sources: Sources) -> Iterator[tuple[str, Console]]:
    """YAML files that a training program reads, by their keys: `stage:` and `do_train:` for LLaMA-Factory."""
    for path in sorted(p for p in sources.paths if p.endswith((".yaml", ".yml"))):
        console = configuration(sources, path)
        if console is not None:
            yield path, console


def _unique(contexts: Iterable[Context]) -> tuple[Context, ...]:
    """Equal commands of one file once, and of all Markdown files once (translations repeat them)."""
    seen: set[tuple[str, str]] = set()
    counts: dict[str, int] = {}
    result = []
    for context in contexts:
        path = context.launcher.path if context.launcher else ""
        key = ("" if PAGES.intersection(context.notes) else path, context.command)
        if key not in seen:
            seen.add(key)
            counts[context.id] = counts.get(context.id, 0) + 1
            count = counts[context.id]
            result.append(context if count == 1 else replace(context, id=f"{context.id}#{count}"))
    return tuple(result)


@frozen()
class _World:
    """What all contexts of one tree share."""

    sources: Sources
    consoles: dict[str, Entry]
    libraries: dict[str, Console]  # by the commands that the tree itself lacks
    pins: Pins

    @staticmethod
    def of(sources: Sources, pins: Pins | None) -> _World:
        own = console_scripts(sources)
        libraries = {n: c for n, c in missing_here(sources).items() if n not in own}
        return _World(sources, own, libraries, pins or Pins.of(sources.tree))

    @property
    def names(self) -> frozenset[str]:
        return frozenset((*self.consoles, *self.libraries))

    def launched(self, found: Found) -> Context | PassedOver | None:
        """The context of a command, or why it makes none; None when it starts no Python."""
        launch = launch_of(found.command, self.consoles, self.libraries)
        if launch is None:
            return None
        made = self._launched(found, launch)
        if isinstance(made, Context):
            return made
        absent = made.endswith(_ABSENT) and _starts_ranks(launch)
        return PassedOver(found.path, found.command.at[0], "launch", made, absent)

    def _launched(self, found: Found, launch: Launch) -> Context | str:
        where = self.where(found, launch)
        entry, assumed = self.entry(launch, where)
        if entry is None:
            program = installed(self.sources, launch)
            if program is None:
                return f"{_program(launch)} {_ABSENT}"
            return self._installed(found, where, program)
        if shows_help(launch):
            return _HELPS
        if not trains(self.sources, launch, entry):
            return f"{_program(launch)} does not train"
        where = where.behind(entry.path, launch.target.text)
        entry, launch = self._handed_on(entry, launch)
        run = run_options(self.sources, where, launch, found.path)
        entry = replace(entry, config=next((p for p in run.configs if p.endswith(".py")), ""))
        if only_predicts(run.options) and self._heeds(run, entry):
            return _PREDICTS
        notes = tuple(n for n in (found.note, assumed, *run.notes, _passed_on(run)) if n)
        context = self._context(found, launch, entry, run, notes)
        console = BY_NAME.get(_console_name(launch, self.consoles)) if launch.how == "console" else None
        return started_processes(context, console) if console else context

    def _heeds(self, run: RunOptions, entry: Entry) -> bool:
        """May the program train no step because of such flags?"""
        return "do_train" in run.options or asks_for_training(self.sources, entry)

    def _installed(self, found: Found, where: Where, program: Installed) -> Context | str:
        """The run of a library's program, or why it is none."""
        run = run_options(self.sources, where, program.launch, found.path, program.console)
        entry = replace(program.entry, config=next((p for p in run.configs if p.endswith(".py")), ""))
        notes = tuple(n for n in (found.note, program.note, *run.notes, _passed_on(run)) if n)
        if only_predicts(run.options):
            return _PREDICTS
        context = self._context(found, program.launch, entry, run, notes)
        return settled(context, where, program, found.path)

    def _context(
        self, found: Found, launch: Launch, entry: Entry, run: RunOptions, notes: tuple[str, ...]
    ) -> Context:
        first = found.command.words[0]
        at = Place(found.path, *first.at)
        strategy, decided = strategy_of(launch.kind, run.options, at)
        return Context(
            id=str(at),
            entry=entry,
            launcher=at,
            strategy=strategy,
            origin=Origin.NOTED if found.note == RECORD else Origin.LAUNCHED,
            command=_command_text(launch),
            configs=run.configs,
            strategy_from=decided,
            options=run.options,
            dependencies=self.pins.holding(found.path if entry.library else entry.path),
            notes=notes,
            launched_by=launch.kind,
            words=_words(launch),
        )

    def where(self, found: Found, launch: Launch) -> Where:
        """Where a command looks for files."""
        where = Where(self.sources.paths, found.path.rpartition("/")[0], found.command.cwd)
        return where.around(_named_files(launch)).after(found.command.written)

    def entry(self, launch: Launch, where: Where) -> tuple[Entry | None, str]:
        """The entry, and what had to be assumed to find it."""
        if launch.how == "console":
            return self.consoles.get(_console_name(launch, self.consoles)), ""
        text = launch.target.text
        found = where.module(text) if launch.how == "module" else where.resolve(text)
        return (Entry(found.path), found.assumed) if found else (None, "")

    def _handed_on(self, entry: Entry, launch: Launch) -> tuple[Entry, Launch]:
        """A console script whose first argument names another file of the tree starts that one."""
        handed = handed_on(self.sources, entry, launch.script_words) if launch.how == "console" else None
        if handed is None:
            return entry, launch
        return handed, replace(launch, script_words=launch.script_words[1:])

    def configured(self, path: str, console: Console) -> Context:
        """A training configuration on its own; the tree's training command or the library would run it."""
        where = Where(self.sources.paths, path.rpartition("/")[0])
        entry = self._would_run(console)
        library = entry is not None and bool(entry.library)
        run = file_options(self.sources, where, path, console if library else None)
        strategy, decided = strategy_of("configured", run.options, Place(path, 1))
        pins = self.pins.holding(entry.path if entry and not library else path)
        return Context(
            path,
            entry,
            None,
            strategy,
            Origin.CONFIGURED,
            "",
            run.configs,
            decided,
            run.options,
            pins,
            (f"nothing here {runs(console)} with it", *run.notes) if library else run.notes,
        )

    def _would_run(self, console: Console) -> Entry | None:
        """What would run a configuration: a command of the tree, else the library that the tree lacks."""
        ends = ("-cli",) if console is LLAMAFACTORY else ()
        own = (e for n, e in sorted(self.consoles.items()) if n in console.names or n.endswith(ends))
        missing = any(name in self.libraries for name in console.names)
        return next(own, entry_of(console) if missing else None)

    def deepspeed_only(self, path: str, root: Node) -> Context:
        strategy, decided = root_strategy(root, path)
        options = {"deepspeed": Option(path, Place(path, 1)), **deepspeed_options(root, path)}
        pins = self.pins.holding(path)
        return Context(path, None, None, strategy, Origin.CONFIGURED, "", (path,), decided, options, pins)


def _starts_ranks(launch: Launch) -> bool:
    """Does a launcher of several ranks start a file or module that is written out?"""
    written = not launch.target.unknown and not is_placeholder(launch.target.text)
    return launch.kind in _LAUNCHERS and launch.how != "console" and written


def _named_files(launch: Launch) -> list[str]:
    """The program and the configurations that a command names."""
    stem = launch.target.text.replace(".", "/")
    first = [f"{stem}.py", f"{stem}/__main__.py"] if launch.how == "module" else [launch.target.text]
    words = (w.text.rpartition("=")[2] for w in (*launch.launcher_words, *launch.script_words))
    return [t for t in (*first, *words) if t.endswith(_FILES)]


def _program(launch: Launch) -> str:
    """What is started: a file or module, or a console script with its subcommand."""
    words = positionals(launch.script_words)[:1] if launch.how == "console" else []
    return " ".join(w.text for w in (launch.target, *words))


def _console_name(launch: Launch, consoles: dict[str, Entry]) -> str:
    text = launch.target.text
    return next((n for n in sorted(consoles, key=len, reverse=True) if n in text), "")


def _passed_on(run: RunOptions) -> str:
    option = run.options.get(PASSED_ON)
    return f"{option.note} at {option.at}" if option else ""


def _command_text(launch: Launch) -> str:
    variables = launch.command.env.items()
    prefix = [f"{k}={MASK if w.text and is_secret(f'env.{k}') else w.text}" for k, w in variables]
    return " ".join([*prefix, *masked(w.text for w in launch.command.words)])[:MAX_COMMAND]


def _words(launch: Launch) -> tuple[str, ...]:
    """The words of a command, of which it keeps as many as of its text."""
    words = tuple(masked(w.text for w in launch.command.words))
    ends = accumulate(len(word) + 1 for word in words)
    return tuple(word for word, end in zip(words, ends) if end <= MAX_COMMAND)
