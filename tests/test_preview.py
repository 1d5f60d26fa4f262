"""Rules in preview: notes unless previews are asked for, and the verdicts decide which rules they are."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from mmcodemod.cli.main import main
from mmcodemod.engine.registry import rules

ROOT = Path(__file__).parents[1]
SINCE = 6  # decisions 0020 to 0022
LOUD_BY_LABELS = {"MM103", "MM201", "MM204", "MM212", "MM402", "MM410"}
MESSAGE = "MM404 is in preview: with --preview this is an error."


@pytest.fixture
def dying(tmp_path: Path) -> Path:
    """A tree in which one rank skips a backward pass."""
    (tmp_path / "train.py").write_text(TRAIN, encoding="utf-8")
    (tmp_path / "run.sh").write_text("torchrun --nproc_per_node 2 train.py\n", encoding="utf-8")
    return tmp_path


TRAIN = """\
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP

dist.init_process_group("gloo")
model = DDP(torch.nn.Linear(2, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for batch in torch.rand(8, 4, 2):
    loss = model(batch).mean()
    if torch.isnan(loss):
        continue
    loss.backward()
    optimizer.step()
"""


class Tool:
    """The command line, run in this process."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self.capsys = capsys

    def __call__(self, *arguments: str) -> tuple[int, str, str]:
        """Exit code, standard output and error."""
        with pytest.raises(SystemExit) as ended:
            main([*arguments])
        return (int(ended.value.code or 0), *self.capsys.readouterr())

    def found(self, *arguments: str) -> tuple[int, list[tuple[str, bool]]]:
        """Exit code; severity, and whether the message names the option, of what MM404 finds."""
        code, out, _ = self("check", "--no-cache", "--format", "json", "--select", "MM404", *arguments)
        return code, [(f["severity"], MESSAGE in f["message"]) for f in json.loads(out)["findings"]]


@pytest.fixture
def tool(capsys: pytest.CaptureFixture[str]) -> Tool:
    return Tool(capsys)


def test_a_rule_in_preview_speaks_in_notes(dying: Path, tool: Tool) -> None:
    assert tool.found(str(dying)) == (0, [("info", True)])
    assert tool.found(str(dying), "--preview") == (1, [("error", False)])


def test_the_configuration_asks_for_previews(dying: Path, tool: Tool) -> None:
    (dying / "mmcodemod.toml").write_text("preview = true\n", encoding="utf-8")
    assert tool.found(str(dying)) == (1, [("error", False)])
    (dying / "mmcodemod.toml").write_text('preview = "yes"\n', encoding="utf-8")
    code, _, err = tool("check", str(dying))
    assert code == 2
    assert "mmcodemod.toml:1: 'preview' is neither true nor false" in err


def test_the_list_of_rules_tells_previews(tool: Tool) -> None:
    (line,) = [line for line in tool("rules")[1].splitlines() if line.startswith("MM404")]
    assert "(preview)" in line
    listed = json.loads(tool("rules", "--format", "json")[1])["rules"]
    assert {r["code"] for r in listed if r["preview"]} == {r.code for r in rules() if r.preview}


def test_the_verdicts_decide_which_rules_are_in_preview() -> None:
    """A rule that a round shows to be wrong too often has to go there; no other rule does. Findings of runs
    that end before the place send no rule there, as they say nothing of it, and bring none back."""
    of_runs = {rule for rule, share in _right(of_rules=False).items() if share < 0.75}
    of_rules = {rule for rule, share in _right(of_rules=True).items() if share < 0.75}
    preview = {rule.code for rule in rules() if rule.preview}
    assert of_rules - LOUD_BY_LABELS <= preview <= of_runs - LOUD_BY_LABELS


def _right(*, of_rules: bool) -> dict[str, float]:
    """The share of right findings of each rule that was judged."""
    right, judged = Counter[str](), Counter[str]()
    for line in (ROOT / "docs/field-trial/verdicts.jsonl").read_text(encoding="utf-8").splitlines():
        verdict = json.loads(line)
        if verdict["round"] >= SINCE and not (of_rules and verdict.get("ends_before")):
            judged[verdict["rule"]] += 1
            right[verdict["rule"]] += verdict["verdict"] == "right"
    return {rule: right[rule] / n for rule, n in judged.items()}


def test_the_page_of_a_rule_in_preview_says_so() -> None:
    pages = {rule: ROOT / "codemods" / rule.slug / "rule.md" for rule in rules()}
    told = {r.code for r, page in pages.items() if "*In preview*: " in page.read_text(encoding="utf-8")}
    assert told == {rule.code for rule in rules() if rule.preview}
