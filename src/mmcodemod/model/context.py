"""The training context: entry point x launch command x configuration x dependency versions."""

from __future__ import annotations

from dataclasses import field
from enum import Enum

from mmcodemod.model.frozen import held
from mmcodemod.model.option import MISSING, UNKNOWN, Option
from mmcodemod.model.place import Place, is_readme


class Strategy(Enum):
    """How parameters and gradients are spread over ranks."""

    SINGLE = "single"
    DDP = "ddp"
    ZERO1 = "zero1"
    ZERO2 = "zero2"
    ZERO3 = "zero3"
    FSDP1 = "fsdp1"
    FSDP2 = "fsdp2"
    UNKNOWN = "unknown"

    @property
    def is_open(self) -> bool:
        """Does a launch with it leave code to choose how it shards?"""
        return self in (Strategy.UNKNOWN, Strategy.DDP, Strategy.SINGLE)

    @property
    def is_deepspeed(self) -> bool:
        return self in (Strategy.ZERO1, Strategy.ZERO2, Strategy.ZERO3)


@held(slots=True)
class Entry:
    """Where Python starts: a file and the function (or `<module>`) that the launch runs. `config`: the
    configuration written in Python that the launch names, "" when it names none. `library`: the installed
    library whose program runs, and then `path` is that of its framework model; "" for a file of the tree."""

    path: str
    symbol: str = "<module>"
    config: str = ""
    library: str = ""


class Source(Enum):
    """What kind of text a version was read from."""

    LOCK = "lock"  # uv.lock, poetry.lock, ...: what was resolved
    REQUIREMENT = "requirement"  # pyproject.toml, requirements files, ...: what may be installed
    INSTALL = "install"  # an install command of a Dockerfile or a script
    README = "readme"  # an install command that people read
    ASSUMED = "assumed"  # --assume, or `assume` in the configuration


@held(slots=True)
class Stated:
    """Another specifier that may hold instead, and where it is written."""

    spec: str
    at: Place


@held(slots=True)
class Dependency:
    """A requirement as written, e.g. name "deepspeed", spec "==0.12.6"; `at` is where. `others`: what the
    tree requires just as much."""

    name: str
    spec: str
    at: Place | None = None
    source: Source = Source.REQUIREMENT
    others: tuple[Stated, ...] = ()

    @property
    def page(self) -> str:
        """What kind of page names it: README or page; "" when it is read from none."""
        if self.source is not Source.README or self.at is None:
            return ""
        return "README" if is_readme(self.at.path) else "page"


NOT_SET = Option(MISSING)
MAX_COMMAND = 2_000  # characters that a context keeps of its command


class Origin(Enum):
    """How sure it is that somebody runs this context."""

    LAUNCHED = "launched"  # a script, a Makefile, a README command in the tree runs it
    NOTED = "noted"  # a plan or a record has the command, which tells nobody to run it
    CONFIGURED = "configured"  # a configuration that nothing launches
    ENTRY = "entry"  # an entry point that nothing launches
    ASIDE = "aside"  # the same, in a tree that launches others, and no text of the tree names it
    LIBRARY = "library"  # no training entry in the tree


@held()
class Context:
    """One way in which somebody trains with this tree."""

    id: str
    entry: Entry | None
    launcher: Place | None
    strategy: Strategy
    origin: Origin = Origin.LAUNCHED
    command: str = ""
    configs: tuple[str, ...] = ()
    strategy_from: Option = NOT_SET
    options: dict[str, Option] = field(default_factory=dict)
    dependencies: dict[str, Dependency] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    launched_by: str = ""  # deepspeed, torch, accelerate, tasks (srun, mpirun), console or python
    words: tuple[str, ...] = ()  # of the command, without its variables; a substitution is one of them

    def option(self, name: str) -> Option:
        """The value of an option: a flag ("bf16"), or a DeepSpeed key with dots
        ("deepspeed.gradient_clipping"). MISSING when nothing sets it; UNKNOWN where that is so of the whole
        section."""
        found = self.options.get(name)
        return found if found is not None else self._of_section(name)

    def _of_section(self, name: str) -> Option:
        section = name.rpartition(".")[0]
        while section.startswith("deepspeed."):
            found = self.options.get(section, NOT_SET)
            if found.value is UNKNOWN:
                return found
            section = section.rpartition(".")[0]
        return NOT_SET

    @property
    def begins(self) -> Place | None:
        """Where it shows that somebody trains so: the launch, else the file of the entry, else (of an
        installed program) the configuration."""
        if self.launcher is not None or self.entry is None:
            return self.launcher
        path = self.entry.path if not self.entry.library else next(iter(self.configs), "")
        return Place(path, 1) if path else None


@held(order=True, slots=True)
class PassedOver:
    """A launch file or a configuration that makes no training context. `line` is 1-based, 0 for the whole
    file; `kind`: script, launch, config or python-config; `absent`: a launcher of several ranks starts a
    program that the tree lacks."""

    path: str
    line: int
    kind: str
    reason: str
    absent: bool = False


@held()
class Overview:
    """All that somebody could train with: the contexts that are judged, the configurations that nothing
    launches, and what makes no context, each with the reason."""

    contexts: tuple[Context, ...]
    configured: tuple[Context, ...]
    passed_over: tuple[PassedOver, ...]
