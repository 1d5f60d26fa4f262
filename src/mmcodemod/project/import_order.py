"""What a program surely runs while it is loaded, in the order of Python: what a statement imports runs before
the statement has come to its end. Must-analysis: only what stands at the top of files, in no `try` and under
no test."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from posixpath import dirname

from mmcodemod.facts.definitions import bare_name
from mmcodemod.facts.syntax import is_main_guard
from mmcodemod.model.frozen import frozen
from mmcodemod.project.model import Project
from mmcodemod.project.search_path import Found, absolute, below, relative

_EXITS = frozenset(("exit", "_exit", "quit", "skip"))


@frozen()
class Run:
    """A statement that a file surely runs. `home`: the folder in which Python found the file by its dotted
    name; `begins`: has it only begun? It comes again when what it imports has run."""

    path: str
    home: str
    node: ast.stmt
    begins: bool


@frozen()
class Wanted:
    """A module of the tree that an import asks for, with a name of it, "" for none, and its home."""

    module: Found
    name: str
    home: str


def runs_in_order(project: Project, root: str, entry: str) -> Iterator[Run]:
    """The statements that surely run while the program and what it imports of the tree are loaded. `root`:
    the folder in which Python looks first."""
    seen, stack = {entry}, [statements_of(project, entry, root, True)]
    while stack:
        run = next(stack[-1], None)
        if run is None:
            stack.pop()
            continue
        yield run
        if run.begins:
            new = {file: home for file, home in _loaded(project, root, run) if file not in seen}
            seen.update(new)
            stack += [statements_of(project, file, home, False) for file, home in reversed(new.items())]


def wanted(project: Project, root: str, run: Run) -> Iterator[Wanted]:
    """The modules of the tree that a statement asks for."""
    node, path = run.node, run.path
    if isinstance(node, ast.Import):
        for alias in node.names:
            module = absolute(project, alias.name, root)
            if module is not None:
                yield Wanted(module, "", home_of_import(alias.name, 0, module, run.home))
    elif isinstance(node, ast.ImportFrom):
        dotted = node.module or ""
        module = named_module(project, root, path, dotted, node.level)
        for alias in node.names if module is not None else ():
            home = home_of_import(dotted, node.level, module, run.home)  # type: ignore[arg-type]
            yield Wanted(module, "" if alias.name == "*" else alias.name, home)  # type: ignore[arg-type]


def named_module(project: Project, root: str, path: str, dotted: str, level: int) -> Found | None:
    """What a file means by `from dotted import`, with so many dots before it."""
    return relative(project, dotted, level, path) if level else absolute(project, dotted, root)


def files_run(project: Project, module: Found, name: str) -> Iterator[str]:
    """The files that an import runs: packages, the module, and a module that it names."""
    yield from module.before
    if module.file:
        yield module.file
    inner = below(project, name, module.folder) if name and module.folder else None
    if inner is not None and inner.file:
        yield inner.file


def home_of_import(dotted: str, level: int, module: Found, home: str) -> str:
    """The folder in which Python found a module: that of the file which imports it by dots."""
    stem = f"/{module.file or module.folder}".removesuffix(".py").removesuffix("/__init__")
    return home if level else stem.removesuffix(f"/{dotted.replace('.', '/')}").lstrip("/")


def packages_around(path: str, home: str) -> list[str]:
    """The names of the packages that a file lies in, the topmost first."""
    inner = dirname(path)[len(home) :].strip("/")
    return inner.split("/") if inner else []


def _loaded(project: Project, root: str, run: Run) -> Iterator[tuple[str, str]]:
    """The files that a statement loads, each with its home."""
    for asked in wanted(project, root, run):
        yield from ((file, asked.home) for file in files_run(project, asked.module, asked.name))


def statements_of(project: Project, path: str, home: str, program: bool) -> Iterator[Run]:
    """The statements at the top of a file, and under the main guard of the program, that surely run: until
    one may end it."""
    facts = project.index.files.get(path)
    for node in facts.tree.body if facts else ():
        for one in node.body if program and is_main_guard(node) else [node]:  # type: ignore[attr-defined]
            if isinstance(one, ast.Raise) or _exits(one):
                return
            yield Run(path, home, one, begins=True)
            yield Run(path, home, one, begins=False)


def _exits(node: ast.stmt) -> bool:
    call = node.value if isinstance(node, ast.Expr) else None
    return isinstance(call, ast.Call) and bare_name(call.func) in _EXITS
