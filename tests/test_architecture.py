"""The layers: imports point downward only, rules see only the api, and nothing analysed is ever run."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from mmcodemod.cli.main import commands

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "mmcodemod"
STUBS = PACKAGE / "models"  # data: read by the indexer, never imported

# What each part may import, besides itself. A part that is missing here must be given its place first.
LAYERS = {
    "__init__": set(),
    "model": set(),
    "source": {"model"},
    "facts": {"model", "source"},
    "knowledge": set(),
    "project": {"facts", "knowledge", "model", "source"},
    "scan": {"facts", "knowledge", "model", "project", "source"},
    "report": {"model", "source"},
    "engine": {"facts", "model", "project", "scan", "source"},
    "api": {"facts", "knowledge", "model", "project", "scan"},
    "pipeline": {"engine", "facts", "model", "project", "report", "scan", "source"},
    "triage": {"engine", "facts", "model", "source"},
    "review": {"engine", "model", "pipeline", "report", "source"},
    "cli": {"engine", "model", "pipeline", "report", "review", "source", "triage"},
    "__main__": {"cli"},
    "codemods": set(),
}
RUNS_CODE = {"exec", "eval", "compile", "__import__", "execfile"}
LOADERS = (
    "importlib",
    "runpy",
    "imp",
    "pkgutil",
    "zipimport",
    "code",
    "codeop",
    "pickle",
    "marshal",
    "shelve",
)
DATA_ONLY = {"importlib.resources", "importlib.metadata"}  # files and versions of what is installed
REGISTRY = "engine/registry.py"
PACKING = "facts/packing.py"  # the one place that unpacks bytes, which a digest has proven ours
METHODS = "model/methods.py"  # compiles the methods of our own dataclasses, as `dataclasses` does
MAIN = "cli/main.py"  # imports a command of a fixed list when somebody asks for it
HEAVY = ("libcst", "networkx", "yaml")

FILES = sorted(f for f in PACKAGE.rglob("*.py") if STUBS not in f.parents)
RULE_FILES = sorted((ROOT / "codemods").rglob("*.py"))


def _name(file: Path) -> str:
    return file.relative_to(PACKAGE).as_posix()


def _part(file: Path) -> str:
    return _name(file).split("/")[0].removesuffix(".py")


def _parsed(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"))


def _imports(file: Path) -> Iterator[str]:
    """Dotted names of all imports, those below TYPE_CHECKING and in functions as well."""
    for node in ast.walk(_parsed(file)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield "." * node.level + (node.module or "")


def _parts_imported(file: Path) -> set[str]:
    """The parts of mmcodemod that a file imports; `from mmcodemod import x` names the part x."""
    names = (name.split(".") for name in _imports(file))
    return {name[1] for name in names if name[0] == "mmcodemod" and len(name) > 1}


each_file = pytest.mark.parametrize("file", FILES, ids=_name)


def test_every_part_has_its_place() -> None:
    parts = {_part(file) for file in FILES}
    assert parts <= set(LAYERS)


def test_the_layers_have_no_cycle() -> None:
    order: list[str] = []
    while len(order) < len(LAYERS):
        free = [part for part in LAYERS if part not in order and LAYERS[part] <= set(order)]
        assert free, f"a cycle among {sorted(set(LAYERS) - set(order))}"
        order += free


@each_file
def test_imports_point_downward(file: Path) -> None:
    part = _part(file)
    assert _parts_imported(file) - {part} <= LAYERS[part]
    assert not [name for name in _imports(file) if name.startswith(".")], "absolute imports only"


@pytest.mark.parametrize("file", RULE_FILES, ids=lambda file: file.relative_to(ROOT).as_posix())
def test_a_rule_folder_sees_the_api_alone(file: Path) -> None:
    names = {name for name in _imports(file) if name.split(".")[0] == "mmcodemod"}
    assert not [name for name in names if not name.startswith("mmcodemod.api.")]
    assert not [name for name in _imports(file) if name.startswith("..")], "a rule imports no other rule"


def test_commands_are_imported_from_one_folder() -> None:
    calls = [n for n in ast.walk(_parsed(PACKAGE / MAIN)) if isinstance(n, ast.Call)]
    given = [ast.unparse(n.args[0]) for n in calls if ast.unparse(n.func) == "import_module"]
    assert given == ["f'mmcodemod.cli.{cmd_name}'"]
    context = click.Context(commands)
    assert all(commands.get_command(context, name) for name in commands.list_commands(context))
    assert commands.get_command(context, "main") is None  # a module, but no command


def test_the_package_imports_nothing() -> None:
    assert list(_imports(PACKAGE / "__init__.py")) == []


def test_the_start_leaves_the_working_folder_first() -> None:
    """`python -m mmcodemod` inside a tree with its own `yaml.py` must not run that file."""
    body = _parsed(PACKAGE / "__main__.py").body
    first = next(i for i, node in enumerate(body) if "sys.path[:]" in ast.unparse(node))
    before = [node for node in body[:first] if isinstance(node, ast.Import | ast.ImportFrom)]
    assert {ast.unparse(node) for node in before} == {"import os", "import sys"}


@pytest.mark.parametrize("file", [*FILES, *RULE_FILES], ids=str)
def test_nothing_is_executed(file: Path) -> None:
    if file == PACKAGE / REGISTRY:
        return
    calls = [n for n in ast.walk(_parsed(file)) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)]
    run = [n.func.id for n in calls if n.func.id in RUNS_CODE]
    assert run == (["exec"] if file == PACKAGE / METHODS else [])
    loaders = {name for name in _imports(file) if name.split(".")[0] in LOADERS}
    if file in (PACKAGE / PACKING, PACKAGE / MAIN):
        assert loaders == ({"marshal"} if file == PACKAGE / PACKING else {"importlib.import_module"})
        return
    assert not {name for name in loaders if ".".join(name.split(".")[:2]) not in DATA_ONLY}


def _modules_after(*arguments: str) -> set[str]:
    code = (
        "import json, sys\n"
        "from mmcodemod.cli.main import main\n"
        "try:\n    main(json.loads(sys.argv[1]))\n"
        "except SystemExit:\n    pass\n"
        "print(json.dumps(sorted(sys.modules)))\n"
    )
    command = [sys.executable, "-c", code, json.dumps(arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=PACKAGE.parent)
    return set(json.loads(done.stdout.splitlines()[-1]))


@pytest.mark.parametrize("arguments", [("--version",), ("--help",), ("explain", "MM303")])
def test_quick_commands_import_nothing_heavy(arguments: tuple[str, ...]) -> None:
    loaded = _modules_after(*arguments)
    assert "click" in loaded
    assert not loaded & set(HEAVY)
    assert not [name for name in loaded if name.startswith("mmcodemod.project")]
