"""What `--help` shows: a line for each command; options of the command first, shared ones in groups."""

from __future__ import annotations

import re

import pytest
from click.testing import CliRunner

from mmcodemod.cli.main import commands


def shown(*arguments: str) -> str:
    done = CliRunner().invoke(commands, [*arguments, "--help"], terminal_width=80)
    assert done.exit_code == 0
    return done.stdout


def sections(text: str) -> dict[str, list[str]]:
    """Heading -> the long names of its options, in order."""
    found: dict[str, list[str]] = {}
    for line in text.splitlines():
        if heading := re.fullmatch(r"(\w[\w ]+):", line):
            found[heading[1]] = names = []
        elif line.startswith("  ["):  # an argument, which stands nowhere here
            names.append(line)
        elif option := re.match(r"  (?:-\w, )?--([a-z-]+)", line):
            names.append(option[1])
    return found


def test_no_summary_of_a_command_is_cut() -> None:
    rows = shown().partition("Commands:\n")[2].splitlines()
    assert len(rows) == len(commands.list_commands(None))  # none is wrapped
    assert [row for row in rows if "..." in row or not row.endswith(".")] == []


@pytest.mark.parametrize(("command", "own"), [("fix", "apply"), ("check", "baseline")])
def test_options_of_the_command_come_first_and_shared_ones_in_groups(command: str, own: str) -> None:
    found = sections(shown(command))
    first, *others = found
    assert (first, found[first][0], found[first][-1]) == ("Options", own, "help")
    assert others == ["What is checked", "Report and exit code", "Cache and processes"]
    assert found["What is checked"][0] == "select" and "assume" in found["What is checked"]
    assert {"format", "fail-on", "quiet"} <= set(found["Report and exit code"])
    assert found["Cache and processes"] == ["cache-dir", "no-cache", "jobs"]


@pytest.mark.parametrize("command", ["fix", "check"])
def test_every_option_is_shown_once(command: str) -> None:
    named = [name for names in sections(shown(command)).values() for name in names]
    declared = {
        opt for p in commands.get_command(None, command).params for opt in p.opts if opt.startswith("--")
    }
    assert sorted(f"--{name}" for name in named) == sorted({*declared, "--help"})


def test_help_says_no_more_than_holds() -> None:
    text = " ".join(shown("check").split())
    assert "findings alone" not in text and "and files that are damaged" in text
    assert "considered and not reported" in text and "are safe" not in text
