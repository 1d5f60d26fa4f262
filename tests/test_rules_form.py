"""The form of the rule folders: names, codes, pages, imports, and enough cases."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

import pytest
from cases import SAMPLES, parse

from mmcodemod.engine.registry import rules

CODEMODS = Path(__file__).parents[1] / "codemods"
FOLDERS = sorted(file.parent for file in CODEMODS.glob("*/rule.py"))
HEADINGS = (
    "What it checks",
    "Why it matters",
    "Example",
    "Fix and its safety",
    "Limits",
    "When to ignore it",
    "Seen in the wild",
    "References",
)
MAY_IMPORT = frozenset(("libcst", *sys.stdlib_module_names))
POSITIVE, NEGATIVE = 3, 5
NUMBER = (
    r"(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen"
    r"|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty)"
)
LOOKED_AT = re.compile(rf"(?i)\b{NUMBER}(?: [\w'-]+){{0,3}} (?:trees|repositories|wheels)\b")

each_folder = pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)


def _tree(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"))


def _imported(tree: ast.Module) -> set[str]:
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add("." * node.level + (node.module or ""))
    return found


def _rule_of(folder: Path):
    found = [rule for rule in rules() if rule.slug == folder.name]
    assert found, f"no rule is called {folder.name.replace('_', '-')}"
    return found[0]


def test_there_are_rules() -> None:
    assert FOLDERS


def test_codes_and_names_are_unique() -> None:
    every = rules()
    assert len({rule.code for rule in every}) == len({rule.name for rule in every}) == len(every)


def test_every_rule_is_well_formed() -> None:
    assert [problem for rule in rules() for problem in rule.problems()] == []


@each_folder
def test_the_folder_is_the_slug_of_the_name(folder: Path) -> None:
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)+", _rule_of(folder).name)
    assert (folder / "__init__.py").is_file()


@each_folder
def test_a_rule_imports_the_api_alone(folder: Path) -> None:
    foreign = {n for n in _imported(_tree(folder / "rule.py")) if n.partition(".")[0] not in MAY_IMPORT}
    assert foreign <= {"mmcodemod.api", ".codemod"}


@each_folder
def test_docstrings(folder: Path) -> None:
    line = ast.get_docstring(_tree(folder / "rule.py")) or ""
    code = _rule_of(folder).code
    assert line.startswith(f"{code}: ") and "\n" not in line, f"one line that begins with {code}"
    codemod = folder / "codemod.py"
    assert not codemod.is_file() or ast.get_docstring(_tree(codemod)), "codemod.py says what it does"


@each_folder
def test_the_page_has_its_headings(folder: Path) -> None:
    text = (folder / "rule.md").read_text(encoding="utf-8")
    rule = _rule_of(folder)
    assert text.startswith(f"# {rule.code} {rule.name}\n")
    outside = re.sub(r"(?ms)^```.*?^```$", "(code)", text)
    found = re.findall(r"(?m)^## (.+?)(?: \(.*\))?$", outside)
    assert tuple(found) == HEADINGS
    sections = re.split(r"(?m)^## .+$", outside)[1:]
    assert all(section.strip() for section in sections), "a heading without text"


@each_folder
def test_seen_in_the_wild_says_in_how_many_trees_it_was_looked_for(folder: Path) -> None:
    text = (folder / "rule.md").read_text(encoding="utf-8")
    wild = text.partition("\n## Seen in the wild\n")[2].partition("\n## ")[0]
    assert LOOKED_AT.search(" ".join(wild.split())), "a figure: 58 trees, four repositories, three wheels"


@each_folder
def test_there_are_enough_cases(folder: Path) -> None:
    file = SAMPLES / folder.name / "cases.md"
    assert file.is_file(), f"samples/{folder.name}/cases.md is missing"
    code = _rule_of(folder).code
    held = [case for case in parse(file) if not case.todo]
    positive = [case for case in held if any(mark.rule == code for mark in case.expected)]
    assert len(positive) >= POSITIVE
    assert len(held) - len(positive) >= NEGATIVE


def test_every_cases_file_belongs_to_a_rule() -> None:
    slugs = {rule.slug for rule in rules()}
    assert {file.parent.name for file in SAMPLES.glob("*/cases.md")} <= slugs
