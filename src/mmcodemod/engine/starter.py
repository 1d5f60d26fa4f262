"""What `mmcodemod init` proposes: texts made of what a tree holds. Existing files only grow, at their end."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath

from mmcodemod.model.pattern import regex
from mmcodemod.model.report import Report
from mmcodemod.source.discover import SUBMODULE

VENDORED = frozenset((
    "3rdparty", "3rd_party", "external", "extern", "submodules", "third-party", "third_party", "thirdparty",
    "vendor", "vendored",
))  # fmt: skip
"""Names of folders that usually hold the code of others."""

FEW = 20
"""Findings that fail a check. Fewer a person can read one by one; from here on a baseline is proposed."""

_REPOSITORY = regex(r"mmcodemod @ git\+(\w+://[^\s]+)@([0-9a-f]{40})")
_ITEM = regex(r"^( *)- +(?:repo|[\"']repo[\"'])\s*:", re.MULTILINE)


def vendored(paths: Iterable[str], gitmodules: str = "") -> list[str]:
    """Folders with files of others: names that say so, and submodules that are there."""
    every = [PurePosixPath(path).parts[:-1] for path in paths]
    named = {part for parts in every for part in parts if part in VENDORED}
    modules = {path for path in SUBMODULE.findall(gitmodules) if not VENDORED & set(path.split("/"))}
    folders = {"/".join(parts[:n]) for parts in every for n in range(1, len(parts) + 1)}
    return sorted(named | (modules & folders))


def loose(report: Report) -> dict[str, str]:
    """The frameworks that some run uses and no file pins: name -> what is required."""
    found = {}
    for context in report.contexts:
        for name, dependency in context.dependencies.items():
            if not dependency.spec.startswith("=="):
                found[name] = dependency.spec
    return dict(sorted(found.items()))


def configuration(
    exclude: Iterable[str], required: Mapping[str, str], installed: Mapping[str, str], baseline: str
) -> str:
    """Lines of TOML. `required` as of `loose`, `installed` versions by name, `baseline` a file or ""."""
    others, first = _strings(exclude), next(iter(required), "deepspeed")
    assumed = _strings(f"{name}=={installed[name]}" for name in required if name in installed)
    wanted = ", ".join(f"{name}{spec}" for name, spec in required.items())
    lines = [
        '# The lowest severity that fails a check: "error", "warning" or "info".',
        'fail-on = "warning"',
        "# Folders of others, which are not checked: names, or patterns relative to the checked folder.",
        f"exclude = {others}" if others != "[]" else '# exclude = ["third_party"]',
        "# Known findings, which a check leaves out (`mmcodemod baseline`).",
        f'baseline = "{baseline}"' if baseline else '# baseline = ".mmcodemod-baseline.json"',
        "# Versions that run, whatever the files require"
        + (f" (no file pins these: {wanted})." if wanted else "."),
        f"# assume = {assumed}" if assumed != "[]" else f'# assume = ["{first}==X.Y.Z"]',
        "# The memory of each GPU: reports runs that need more.",
        '# gpu-memory = "80GiB"',
        "# Let rules in preview report warnings and errors, too, not notes alone.",
        "# preview = true",
        "# Rules to leave out, everywhere or in some files: codes, prefixes of codes or names.",
        '# ignore = ["MM508"]',
        '# per-file-ignores = { "legacy/" = ["MM2"] }',
    ]
    return "\n".join(lines) + "\n"


def _strings(values: Iterable[str]) -> str:
    return json.dumps(list(values))  # what JSON writes of a string, TOML reads


def in_pyproject(text: str, lines: str) -> str | None:
    """The text of a pyproject.toml with `[tool.mmcodemod]` at its end; None where that cannot be written so
    that all else stays what it is."""
    after = _appended(text, f"\n[tool.mmcodemod]\n{lines}")
    try:
        if sys.version_info >= (3, 11):
            import tomllib
        else:
            import tomli as tomllib  # type: ignore[import-not-found, unused-ignore]
        old, new = tomllib.loads(text), tomllib.loads(after)
    except (ImportError, ValueError, RecursionError):
        return None
    own = new.get("tool", {}).pop("mmcodemod", None)
    old.setdefault("tool", {})
    return after if own and old == new else None


def _appended(text: str, more: str) -> str:
    """With the line ends of the text."""
    if text and not text.endswith("\n"):
        more = "\n" + more
    return text + (more.replace("\n", "\r\n") if "\r\n" in text else more)


def workflow(install: str) -> str:
    """A workflow of GitHub. `install`: what pip installs."""
    return f"""\
# Written by `mmcodemod init`. Checks every pull request; findings appear on the lines that they speak of.
name: mmcodemod
on:
  pull_request:
  push:
    branches: [main, master]
permissions:
  contents: read
jobs:
  check:
    runs-on: ubuntu-latest
    timeout-minutes: 20
    steps:
      - uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1
        with:
          persist-credentials: false
      - uses: actions/setup-python@5fda3b95a4ea91299a34e894583c3862153e4b97 # v7.0.0
        with:
          python-version: "3.12"
      - run: python -m pip install {_quoted(install)}
      - run: mmcodemod check --strict --format github
"""


def gitlab_job(install: str, stage: str = "test") -> str:
    """A job of GitLab CI, for an existing file. `install` as of `workflow`; slim images have no git."""
    return f"""
mmcodemod:
  stage: {stage}
  image: python:3.12{"" if "git+" in install else "-slim"}
  script:
    - python -m pip install {_quoted(install)}
    - mmcodemod check --strict --format gitlab --output gl-code-quality-report.json
  artifacts:
    when: always
    reports:
      codequality: gl-code-quality-report.json
"""


def _quoted(install: str) -> str:
    return f"'{install}'"


def in_gitlab(text: str, install: str) -> str | None:
    """The text of a .gitlab-ci.yml with our job at its end; None where it does not surely stay what it is."""
    before = _yaml(text)
    if not isinstance(before, dict) or "mmcodemod" in before:
        return None
    stages = before.get("stages")
    stage = str(stages[-1]) if isinstance(stages, list) and stages and "test" not in stages else "test"
    after = _appended(text, gitlab_job(install, stage))
    new = _yaml(after)
    if not isinstance(new, dict):
        return None
    new.pop("mmcodemod", None)
    return after if new == before else None


def hook(install: str, indent: str = "  ") -> str:
    """An entry of `repos`: from a repository and its commit, else with what pip installs. `install` is empty
    when pip cannot install us elsewhere: then the mmcodemod on the path runs."""
    found = _REPOSITORY.fullmatch(install)
    lines = _from_repository(*found.groups()) if found else _local(install)
    return "".join(f"{indent}{line}\n" for line in lines)


def _from_repository(url: str, commit: str) -> list[str]:
    return [f"- repo: {url}", f"  rev: {commit}", "  hooks:", "    - id: mmcodemod"]


def _local(install: str) -> list[str]:
    language = [f"additional_dependencies: [{json.dumps(install)}]"] if install else []
    return [
        "- repo: local",
        "  hooks:",
        "    - id: mmcodemod",
        "      name: mmcodemod check",
        "      entry: mmcodemod check --strict",
        f"      language: {'python' if install else 'system'}",
        *(f"      {line}" for line in language),
        "      types_or: [python, json, yaml, shell, toml]",
        "      pass_filenames: false",
        "      require_serial: true",
    ]


def in_pre_commit(text: str, install: str) -> str | None:
    """The text of a .pre-commit-config.yaml with our entry at its end; None where `repos` is not what stands
    last, or is not written line by line."""
    before = _yaml(text)
    if not isinstance(before, dict) or not isinstance(before.get("repos"), list):
        return None
    found = _ITEM.findall(text)
    after = _appended(text, hook(install, found[-1] if found else "  "))
    new, ours = _yaml(after), _yaml(hook(install, ""))
    same = isinstance(new, dict) and new == {**before, "repos": [*before["repos"], *_list(ours)]}
    return after if same else None


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _yaml(text: str) -> object:
    import yaml

    try:
        return yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError, ValueError):
        return None
