"""`mmcodemod review` on repositories that git makes: what a change introduces, activates and mends."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from repositories import DATA, JSON, MODEL, RUN, SOUND, STAGE3, TRAIN, Repository

import mmcodemod
from mmcodemod.cli.main import commands
from mmcodemod.review import beside

FATAL = {**SOUND, "zero.json": STAGE3}


@pytest.fixture
def repository(tmp_path):
    return Repository.made(tmp_path / "repo")


def run(root, *arguments, given=None, code=None):
    """The exit code, and what is printed."""
    command = ["review", str(root), *arguments]
    result = CliRunner().invoke(commands, command, input=given, standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    assert code is None or result.return_value == code, result.output
    return result


def reviewed(root, *arguments, given=None, code=None):
    result = run(root, *arguments, "--format", "json", given=given, code=code)
    return json.loads(result.stdout)


def told(found):
    """(rule, place of the finding, how, place of the comment)"""
    return [
        (
            t["finding"]["rule"],
            f"{t['finding']['path']}:{t['finding']['line']}",
            t["news"],
            f"{t['at']['path']}:{t['at']['line']}" if t["at"] else None,
        )
        for t in found["told"]
    ]


def mended(found):
    return [(m["finding"]["rule"], m["finding"]["path"], m["deleted"]) for m in found["mended"]]


ACTIVATED = [("MM201", "model.py:18", "activated", "zero.json:5")]


def test_one_line_of_json_activates_old_code(repository):
    repository.commit({"zero.json": STAGE3})
    found = reviewed(repository.root, "--base", "HEAD~1", "--head", "HEAD", code=1)
    assert told(found) == ACTIVATED
    assert found["told"][0]["new_contexts"] == ["run.sh:1"]
    trace = found["told"][0]["finding"]["trace"]
    assert [step["path"] for step in trace] == ["run.sh", "zero.json", "train.py", "train.py"]
    assert found["mended"] == found["silenced"] == found["unknown"] == []


def test_the_text_says_what_activates_it_and_how_the_run_gets_there(repository):
    repository.commit({"zero.json": STAGE3})
    shown = run(repository.root, "--base", "HEAD~1", "--head", "HEAD").stdout
    lines = shown.splitlines()
    assert lines[0].startswith("model.py:18:9  error  MM201")
    assert lines[1] == '  activated by zero.json:5   "stage": 3'
    assert "how the run gets here" in shown
    assert lines[-1].startswith("1 error new · 1 file changed · ")


def test_quietly_there_are_findings_alone_and_what_could_not_be_read(tmp_path):
    repository = Repository.made(tmp_path / "repo", {**SOUND, "other.py": "x = 1\n"})
    repository.commit({"zero.json": STAGE3, "other.py": "def (:\n"})
    between = ("--base", "HEAD~1", "--head", "HEAD")
    loud, quiet = (run(repository.root, *between, *more, code=1) for more in ((), ("-q",)))
    assert "other.py cannot be read" in loud.stdout.splitlines()[-1]
    assert quiet.stdout == loud.stdout.partition("\nnotes\n")[0]
    assert "other.py" in quiet.stderr
    (repository.root / "README.md").write_text("# hello\n")
    assert run(repository.root, "--base", "HEAD", "-q", code=0).stdout == ""


def test_markdown_says_that_it_is_new_and_between_what(repository):
    repository.commit({"zero.json": STAGE3})
    repository.commit({"README.md": "# Describer\n"})
    found = run(repository.root, "--base", "HEAD~2", "--head", "HEAD", "--format", "markdown").stdout
    said = found.split("\n\n")[1]
    base = repository.git("rev-parse", "HEAD~2").strip()
    assert "will fail" not in said and said.startswith("1 error new · 2 files changed · ")
    assert f"`{base[:12]}..{repository.git('rev-parse', 'HEAD').strip()[:12]}`" in said
    none = run(repository.root, "--base", "HEAD~1", "--head", "HEAD", "--format", "markdown").stdout
    assert none.split("\n\n")[1].startswith("nothing new · ")
    here = run(repository.root, "--base", "HEAD~2", "--format", "markdown").stdout
    assert here.split("\n\n")[1].endswith(f" · `{base[:12]}..working tree`")


def test_a_long_command_keeps_the_program_its_configuration_and_what_the_finding_names(tmp_path):
    many = " ".join(f"--logging_steps {n}" for n in range(20))
    run_sh = f"torchrun --nproc_per_node 8 train.py {many} --deepspeed zero.json {many} --bf16 True\n"
    repository = Repository.made(tmp_path / "repo", {**SOUND, "run.sh": run_sh})
    repository.commit({"zero.json": STAGE3})
    shown = " ".join(run(repository.root, "--base", "HEAD~1", "--head", "HEAD", code=1).stdout.split())
    assert "run.sh:1 torchrun --nproc_per_node 8 train.py --logging_steps 0 " in shown
    assert " ... --deepspeed zero.json ... zero.json:5" in shown
    assert "--bf16" not in shown


def test_without_a_head_the_working_tree_counts(repository):
    repository.write({"zero.json": STAGE3, "untracked.py": "import torch\n"})
    found = reviewed(repository.root, "--base", "main", code=1)
    assert told(found) == ACTIVATED
    assert found["head"] == "working tree"
    assert [change["new"] for change in found["changes"]] == ["zero.json"]


def test_a_new_finding_is_introduced_on_its_own_line(tmp_path):
    plain = MODEL.replace("        if pixel_values is not None:\n", "        if True:\n")
    repository = Repository.made(tmp_path / "repo", {**FATAL, "model.py": plain})
    assert told(reviewed(repository.root, "--base", "main", code=0)) == []
    repository.commit({"model.py": MODEL})
    found = reviewed(repository.root, "--base", "HEAD~1", "--head", "HEAD", code=1)
    assert told(found) == [("MM201", "model.py:18", "introduced", "model.py:18")]


def test_a_fixed_finding_is_mended(tmp_path):
    repository = Repository.made(tmp_path / "repo", FATAL)
    repository.commit({"zero.json": JSON})
    found = reviewed(repository.root, "--base", "HEAD~1", "--head", "HEAD", code=0)
    assert (told(found), mended(found)) == ([], [("MM201", "model.py", False)])
    shown = run(repository.root, "--base", "HEAD~1", "--head", "HEAD").stdout
    assert "mended by this change\n  model.py:18  MM201" in shown
    assert shown.splitlines()[-1].startswith("nothing new · 1 mended · 1 file changed · ")


def test_a_fix_of_an_untouched_file_is_no_news_to_others(tmp_path):
    repository = Repository.made(tmp_path / "repo", FATAL)
    repository.commit({"train.py": TRAIN + "\n# done\n"})
    found = reviewed(repository.root, "--base", "HEAD~1", "--head", "HEAD", code=0)
    assert told(found) == mended(found) == []


MOVES = {
    "lines above": {"model.py": "# one\n# two\n\n" + MODEL},
    "a method above": {
        "model.py": MODEL.replace("    def enc", "    def more(self):\n        pass\n\n    def enc")
    },
    "launch moved": {"run.sh": "set -e\n\n" + RUN},
    "launch edited": {"run.sh": RUN.replace(" out", " elsewhere")},
    "code renamed": {
        "model.py": None,
        "parts/d.py": MODEL,
        "train.py": TRAIN.replace("om model", "om parts.d"),
    },
    "script renamed": {"run.sh": None, "scripts/start.sh": RUN},
    "json renamed": {"zero.json": None, "ds/zero.json": STAGE3, "run.sh": RUN.replace("zero", "ds/zero")},
    "all in a folder": {**dict.fromkeys(FATAL), **{f"training/{path}": text for path, text in FATAL.items()}},
}


@pytest.mark.parametrize("change", MOVES.values(), ids=MOVES)
def test_what_only_moves_is_neither_new_nor_mended(tmp_path, change):
    repository = Repository.made(tmp_path / "repo", FATAL)
    repository.commit(change)
    found = reviewed(repository.root, "--base", "HEAD~1", "--head", "HEAD", code=0)
    assert told(found) == mended(found) == []


def test_code_that_moves_to_another_file_is_not_new(tmp_path):
    repository = Repository.made(tmp_path / "repo", {**FATAL, "other.py": "import torch\n" * 3})
    moved = {"model.py": "from other import Describer\n", "other.py": "import torch\n" * 3 + MODEL}
    repository.commit(moved)
    found = reviewed(repository.root, "--base", "HEAD~1", "--head", "HEAD", code=0)
    assert told(found) == mended(found) == []


def test_a_second_equal_finding_is_told_once(tmp_path):
    repository = Repository.made(tmp_path / "repo", FATAL)
    again = MODEL.replace(
        "        return self.decoder",
        "        if pixel_values is not None:\n"
        "            inputs_embeds = inputs_embeds + self.vision(pixel_values)[0]\n"
        "        return self.decoder",
    )
    repository.commit({"model.py": again})
    found = reviewed(repository.root, "--base", "HEAD~1", "--head", "HEAD", code=1)
    assert told(found) == [("MM201", "model.py:22", "introduced", "model.py:22")]
    assert mended(found) == []


def test_findings_of_a_deleted_file_went_with_it(tmp_path):
    other = {"other.py": MODEL, "run2.sh": "deepspeed train2.py --deepspeed zero.json\n",
             "train2.py": TRAIN.replace("from model ", "from other ")}  # fmt: skip
    repository = Repository.made(tmp_path / "repo", {**FATAL, **other})
    repository.commit(dict.fromkeys(other))
    found = reviewed(repository.root, "--base", "HEAD~1", "--head", "HEAD", code=0)
    assert told(found) == mended(found) == [] and found["stopped"] == []
    assert [(m["finding"]["path"], m["deleted"]) for m in found["gone"]] == [("other.py", True)]
    shown = run(repository.root, "--base", "HEAD~1", "--head", "HEAD").stdout
    assert "not mended\n  other.py:18  MM201" in shown and " mended ·" not in shown


STOPS = {
    "deleted": ({"zero.json": None}, "is deleted by this change: that run does not start.", ["model.py"]),
    "moved": (
        {"zero.json": None, "ds/zero.json": STAGE3},
        "is moved to ds/zero.json by this change",
        ["model.py"],
    ),
}


@pytest.mark.parametrize(("change", "words", "gone"), STOPS.values(), ids=STOPS)
def test_a_configuration_that_a_launch_names_and_the_change_takes_away(tmp_path, change, words, gone):
    repository = Repository.made(tmp_path / "repo", FATAL)
    repository.commit(change)
    found = reviewed(repository.root, "--base", "HEAD~1", "--head", "HEAD", code=0)
    assert told(found) == mended(found) == []
    (said,) = found["unknown"]
    assert said.startswith("zero.json, which run.sh:1 names, ") and words in said
    assert [(at["path"], at["line"]) for at in found["stopped"]] == [("run.sh", 1)]
    assert [m["finding"]["path"] for m in found["gone"]] == gone
    shown = run(repository.root, "--base", "HEAD~1", "--head", "HEAD").stdout
    assert shown.splitlines()[-1].startswith("nothing new · 1 run does not start · ")


def test_a_configuration_that_the_change_breaks_is_an_error_of_its_own(tmp_path):
    repository = Repository.made(tmp_path / "repo", FATAL)
    repository.commit({"zero.json": STAGE3.replace(":", ":::")})
    found = reviewed(repository.root, "--base", "HEAD~1", "--head", "HEAD", code=1)
    assert [row[:1] + row[3:] for row in told(found)] == [("MM501", "zero.json:2")]
    assert mended(found) == []


def test_a_broken_configuration_that_a_finding_tells_of_is_told_once(tmp_path):
    repository = Repository.made(tmp_path / "repo", FATAL)
    repository.commit({"zero.json": STAGE3.replace(":", ":::")})
    between = ("--base", "HEAD~1", "--head", "HEAD")
    shown = run(repository.root, *between, code=1)
    assert shown.stderr == "" and "MM501" in shown.stdout
    left_out = run(repository.root, *between, "--ignore", "MM501", code=0)
    assert left_out.stderr.count("config:") == 2
    run(repository.root, *between, "--ignore", "MM501", "--strict", code=1)
    command = ["check", str(repository.root), "--no-cache"]
    checked = CliRunner().invoke(commands, command, standalone_mode=False)
    assert "MM501" in checked.stdout and "config:" not in checked.stderr
    checked = CliRunner().invoke(commands, [*command, "--ignore", "MM501"], standalone_mode=False)
    assert checked.stderr.count("config:") == 2
    strict = [*command, "--strict", "--fail-on", "error", "--ignore", "MM501"]
    assert CliRunner().invoke(commands, strict, standalone_mode=False).return_value == 1


@pytest.mark.parametrize(
    ("content", "words"), [(None, "is deleted by this change"), ("def (:\n", "cannot be read any more")]
)
def test_a_program_that_a_launch_names_and_the_change_takes_away(tmp_path, content, words):
    again = {"again.sh": "# once more\n" + RUN}
    repository = Repository.made(tmp_path / "repo", {**FATAL, **again})
    repository.commit({"train.py": content})
    found = reviewed(repository.root, "--base", "HEAD~1", "--head", "HEAD")
    assert (told(found), mended(found), len(found["unknown"])) == ([], [], 1)
    assert f"train.py, which again.sh:2 (+1) names, {words}" in found["unknown"][0]
    assert found["unknown"][0].endswith(": those runs do not start.")


NAMED_ELSEWHERE = {
    "launch deleted, too": {"zero.json": None, "run.sh": None},
    "launch names another": {
        "zero.json": None,
        "other.json": STAGE3 + "\n",
        "run.sh": RUN.replace("zero", "other"),
    },
    "launch names none": {"zero.json": None, "run.sh": "deepspeed train.py --output_dir out\n"},
    "another program": {
        "train.py": None,
        "start.py": "# start\n" + TRAIN,
        "run.sh": RUN.replace("train", "start"),
    },
}


@pytest.mark.parametrize("change", NAMED_ELSEWHERE.values(), ids=NAMED_ELSEWHERE)
def test_what_no_launch_names_any_more_stops_nothing(tmp_path, change):
    repository = Repository.made(tmp_path / "repo", FATAL)
    repository.commit(change)
    found = reviewed(repository.root, "--base", "HEAD~1", "--head", "HEAD")
    assert found["stopped"] == found["unknown"] == []


def test_a_new_launch_that_names_what_the_change_deletes(tmp_path):
    repository = Repository.made(tmp_path / "repo", {**FATAL, "ds/other.json": JSON})
    repository.commit({"ds/other.json": None, "more.sh": RUN.replace("zero", "./ds/other")})
    found = reviewed(repository.root, "--base", "HEAD~1", "--head", "HEAD", code=0)
    assert found["unknown"] == [
        "ds/other.json, which more.sh:1 names, is deleted by this change: that run does not start."
    ]


def test_a_new_run_of_old_code_is_told_on_the_launch(tmp_path):
    repository = Repository.made(tmp_path / "repo", {**SOUND, "zero3.json": STAGE3})
    repository.commit({"run3.sh": "# with more memory\n" + RUN.replace("zero.json", "zero3.json")})
    found = reviewed(repository.root, "--base", "HEAD~1", "--head", "HEAD", code=1)
    assert told(found) == [("MM201", "model.py:18", "activated", "run3.sh:2")]


def test_a_run_more_of_a_known_finding_is_told_for_that_run(tmp_path):
    repository = Repository.made(tmp_path / "repo", FATAL)
    repository.commit({"again.sh": RUN.replace(" out", " again")})
    found = reviewed(repository.root, "--base", "HEAD~1", "--head", "HEAD", code=1)
    assert told(found) == [("MM201", "model.py:18", "activated", "again.sh:1")]
    assert found["told"][0]["new_contexts"] == ["again.sh:1"]
    assert "\n  new for  again.sh\n" in run(repository.root, "--base", "HEAD~1", "--head", "HEAD").stdout


def test_a_deleted_line_that_made_it_safe_is_where_the_comment_goes(tmp_path):
    end = "        return item\n"
    safe = '        else:\n            item["pixel_values"] = torch.zeros(3, 224, 224)\n'
    data = "import torch\n" + DATA
    repository = Repository.made(tmp_path / "repo", {**FATAL, "data.py": data.replace(end, safe + end)})
    repository.commit({"data.py": data})
    found = reviewed(repository.root, "--base", "HEAD~1", "--head", "HEAD", code=1)
    assert told(found) == [("MM201", "model.py:18", "activated", "data.py:18")]
    shown = run(repository.root, "--base", "HEAD~1", "--head", "HEAD").stdout
    assert shown.splitlines()[1] == "  activated by data.py:18, where lines went"


def test_a_binary_file_and_an_empty_diff_say_nothing(repository):
    repository.commit({"cat.png": bytes(range(256)), "weights.json": b"\0\1\2"})
    found = reviewed(repository.root, "--base", "HEAD~1", "--head", "HEAD", code=0)
    assert [(c["new"], c["binary"]) for c in found["changes"]] == [("weights.json", True)]
    shown = run(repository.root, "--base", "HEAD", "--head", "HEAD", code=0).stdout
    assert shown.startswith("nothing new · 0 files changed · ")


SILENT = MODEL.replace(
    "        if pixel", "        # mmcodemod: ignore[MM201] all have pictures\n        if pixel"
)


def test_a_change_cannot_silence_its_own_finding(repository):
    repository.commit({"zero.json": STAGE3, "model.py": SILENT})
    found = reviewed(repository.root, "--base", "HEAD~1", "--head", "HEAD", code=1)
    assert [t[:2] for t in told(found)] == [("MM201", "model.py:19")]
    one = {"path": "model.py", "line": 18, "rules": ["MM201"], "reason": "all have pictures"}
    assert found["silenced"] == [one]
    assert "model.py:18  MM201  all have pictures" in run(repository.root, "--base", "HEAD~1").stdout


def test_a_suppression_added_for_an_old_finding_is_listed_and_nothing_is_new(tmp_path):
    repository = Repository.made(tmp_path / "repo", FATAL)
    repository.commit({"model.py": SILENT})
    found = reviewed(repository.root, "--base", "HEAD~1", "--head", "HEAD", code=0)
    assert told(found) == mended(found) == []
    assert len(found["silenced"]) == 1


def test_a_suppression_of_the_base_counts_and_one_that_goes_is_told(tmp_path):
    repository = Repository.made(tmp_path / "repo", {**FATAL, "model.py": SILENT})
    repository.commit({"model.py": "# above\n" + SILENT})
    found = reviewed(repository.root, "--base", "HEAD~1", "--head", "HEAD", code=0)
    assert told(found) == found["silenced"] == []
    repository.commit({"model.py": "# above\n" + MODEL})
    found = reviewed(repository.root, "--base", "HEAD~1", "--head", "HEAD", code=1)
    assert told(found) == [("MM201", "model.py:19", "activated", "model.py:19")]


def test_a_silenced_line_that_moves_stays_silent(tmp_path):
    repository = Repository.made(tmp_path / "repo", {**FATAL, "model.py": SILENT})
    lines = SILENT.splitlines(keepends=True)
    at = next(i for i, line in enumerate(lines) if "def encode_images" in line)
    forward = next(i for i, line in enumerate(lines) if "def forward" in line)
    swapped = [*lines[:at], *lines[forward:], "\n", *lines[at : forward - 1]]
    repository.commit({"model.py": "".join(swapped)})
    found = reviewed(repository.root, "--base", "HEAD~1", "--head", "HEAD", code=0)
    assert told(found) == mended(found) == found["silenced"] == []


def test_configuration_is_that_of_the_base(repository):
    settings = '[tool.mmcodemod]\nignore = ["MM201"]\n'
    repository.commit({"zero.json": STAGE3, "pyproject.toml": settings})
    found = reviewed(repository.root, "--base", "HEAD~1", "--head", "HEAD", code=1)
    assert told(found) == ACTIVATED
    assert len(found["unknown"]) == 1 and "pyproject.toml" in found["unknown"][0]
    repository.commit({"zero.json": JSON})
    repository.commit({"zero.json": STAGE3})
    assert told(reviewed(repository.root, "--base", "HEAD~1", "--head", "HEAD", code=0)) == []


def known(root, folder=""):
    """What `mmcodemod baseline` writes for the working tree."""
    command = ["baseline", str(root / folder), "--force"]
    assert CliRunner().invoke(commands, command, standalone_mode=False).exception is None
    return (root / folder / ".mmcodemod-baseline.json").read_text()


@pytest.mark.parametrize("folder", ["", "training"])
def test_the_baseline_is_that_of_the_base(tmp_path, folder, monkeypatch):
    prefix = f"{folder}/" if folder else ""
    repository = Repository.made(tmp_path / "repo", {prefix + path: text for path, text in FATAL.items()})
    monkeypatch.chdir(repository.root)
    entries = known(repository.root, folder)
    configured = '[tool.mmcodemod]\nbaseline = ".mmcodemod-baseline.json"\n'
    files = {"pyproject.toml": configured, ".mmcodemod-baseline.json": entries}
    repository.commit({prefix + "zero.json": JSON, **{prefix + path: text for path, text in files.items()}})
    repository.commit({prefix + "zero.json": STAGE3})
    found = reviewed(repository.root / folder, "--base", "HEAD~1", "--head", "HEAD", code=0)
    assert (told(found), found["unknown"]) == ([], [])
    empty = json.dumps({"version": 1, "findings": []})
    repository.commit({prefix + ".mmcodemod-baseline.json": empty, prefix + "zero.json": JSON})
    repository.commit({prefix + "zero.json": STAGE3, prefix + ".mmcodemod-baseline.json": entries})
    found = reviewed(repository.root / folder, "--base", "HEAD~1", "--head", "HEAD", code=1)
    assert [row[0] for row in told(found)] == ["MM201"]  # the change's own baseline does not count


@pytest.mark.parametrize("content", [None, "{"])
def test_a_baseline_that_the_base_does_not_hold_is_said(repository, content):
    repository.commit({"mmcodemod.toml": 'baseline = "known.json"\n'})
    if content:
        repository.commit({"known.json": content})
    repository.commit({"zero.json": STAGE3})
    found = reviewed(repository.root, "--base", "HEAD~1", "--head", "HEAD", code=1)
    assert told(found) == ACTIVATED
    (said,) = found["unknown"]
    assert "known.json" in said and "baseline" in said


def test_patterns_are_relative_to_the_configuration_of_the_base(tmp_path):
    inside = {f"training/{path}": text for path, text in SOUND.items()}
    ignoring = '[per-file-ignores]\n"training/model.py" = ["MM201"]\n'
    repository = Repository.made(tmp_path / "repo", {**inside, "mmcodemod.toml": ignoring})
    repository.commit({"training/zero.json": STAGE3})
    assert told(reviewed(repository.root / "training", "--base", "HEAD~1", "--head", "HEAD", code=0)) == []


def test_the_exit_code_follows_fail_on_and_exit_zero(repository):
    repository.commit({"zero.json": STAGE3})
    between = ("--base", "HEAD~1", "--head", "HEAD")
    run(repository.root, *between, "--exit-zero", code=0)
    run(repository.root, *between, "--fail-on", "error", code=1)
    run(repository.root, *between, "--ignore", "MM201", code=0)
    run(repository.root, *between, "--select", "MM3", code=0)


def test_the_base_is_where_both_parted(repository):
    """What main does meanwhile is neither introduced nor mended by a branch."""
    repository.git("checkout", "-q", "-b", "topic")
    repository.commit({"notes.md": "# notes\n"})
    repository.git("checkout", "-q", "main")
    repository.commit({"zero.json": STAGE3})
    found = reviewed(repository.root, "--base", "main", "--head", "topic", code=0)
    assert told(found) == mended(found) == []
    found = reviewed(repository.root, "--base", "main", "--head", "topic", "--exact", code=0)
    assert mended(found) == [("MM201", "model.py", False)]


def test_a_head_that_the_base_contains_is_compared_as_it_is(tmp_path):
    repository = Repository.made(tmp_path / "repo", FATAL)
    repository.commit({"zero.json": JSON})
    found = reviewed(repository.root, "--base", "HEAD", "--head", "HEAD~1", code=1)
    assert told(found) == ACTIVATED
    assert "already contains" in found["unknown"][0]


def test_a_folder_of_a_repository_is_reviewed_as_it_is_checked(tmp_path):
    inside = {f"training/{path}": text for path, text in SOUND.items()}
    repository = Repository.made(tmp_path / "repo", {**inside, "elsewhere.py": "x = 1\n"})
    repository.commit({"training/zero.json": STAGE3, "elsewhere.py": "x = 2\n"})
    found = reviewed(repository.root / "training", "--base", "HEAD~1", "--head", "HEAD", code=1)
    assert told(found) == ACTIVATED
    assert found["folder"] == "training"
    assert [change["new"] for change in found["changes"]] == ["zero.json"]


def test_a_bare_repository_and_a_detached_head_are_read(repository, tmp_path):
    repository.commit({"zero.json": STAGE3})
    repository.git("checkout", "-q", "--detach")
    assert told(reviewed(repository.root, "--base", "HEAD~1", code=1)) == ACTIVATED
    repository.git("clone", "-q", "--bare", ".", str(tmp_path / "bare.git"))
    found = reviewed(tmp_path / "bare.git", "--base", "main~1", "--head", "main", code=1)
    assert told(found) == ACTIVATED
    assert "--head" in str(failure(tmp_path / "bare.git", "--base", "main~1"))


def failure(root, *arguments, given=None):
    """The message of a command that fails."""
    with pytest.raises(Exception) as caught:
        run(root, *arguments, given=given)
    assert getattr(caught.value, "exit_code", None) == 2, caught.value
    return caught.value.format_message()


def test_wrong_arguments_are_told(repository, tmp_path):
    assert "no such revision" in failure(repository.root, "--base", "nowhere")
    assert "fetch it first" in failure(repository.root, "--base", "nowhere")
    for odd in ("--output=x", "-h", "HEAD:model.py", ""):
        assert "no such revision" in failure(repository.root, "--base", odd)
    assert not Path("x").exists()
    assert "--base" in failure(repository.root)
    assert "--patch stands alone" in failure(repository.root, "--base", "HEAD", "--patch", "-", given=b"")
    (tmp_path / "plain").mkdir()
    assert "not a git repository" in failure(tmp_path / "plain", "--base", "HEAD")
    assert "no such folder" in failure(tmp_path / "gone", "--base", "HEAD")


def test_a_base_that_is_not_there_offers_one_that_is(repository, tmp_path):
    here = repository.git("branch", "--show-current").strip()
    assert f"`--base {here}` is here" in failure(repository.root, "--base", f"origin/{here}")
    assert f"mmcodemod review {repository.root} --base {here}" in failure(repository.root)
    repository.git("update-ref", "refs/remotes/origin/main", "HEAD")
    assert "--base origin/main" in failure(repository.root)
    repository.git("checkout", "-q", "--detach")
    repository.git("branch", "-D", here)
    repository.git("update-ref", "-d", "refs/remotes/origin/main")
    assert "`--base HEAD` is here" in failure(repository.root, "--base", f"origin/{here}")
    assert "is here" not in failure(repository.root, "--base", "HEAD", "--head", "nowhere")
    (tmp_path / "plain").mkdir()
    assert "--base origin/main" in failure(tmp_path / "plain")


def test_no_commit_in_common_and_a_shallow_clone(repository, tmp_path):
    repository.git("checkout", "-q", "--orphan", "other")
    repository.commit({"zero.json": STAGE3})
    assert "no commit in common" in failure(repository.root, "--base", "main")
    found = reviewed(repository.root, "--base", "main", "--exact", code=1)
    assert told(found) == ACTIVATED
    repository.git("checkout", "-q", "main")
    repository.commit({"zero.json": STAGE3})
    repository.git("clone", "-q", "--depth", "1", f"file://{repository.root}", str(tmp_path / "shallow"))
    assert "shallow" in failure(tmp_path / "shallow", "--base", "HEAD~1")


def test_without_git_the_message_says_so(repository, monkeypatch):
    monkeypatch.setenv("PATH", "")
    assert "git is not installed" in failure(repository.root, "--base", "HEAD")


def test_nothing_of_a_hostile_repository_is_run(repository, tmp_path):
    mark = tmp_path / "ran"
    touch = f"touch {mark}; cat"
    for key in ("diff.external", "core.fsmonitor", "core.pager", "core.editor", "core.sshCommand",
                "diff.evil.command", "diff.evil.textconv", "filter.evil.clean", "filter.evil.smudge",
                "filter.evil.process", "pager.diff", "core.alternateRefsCommand"):  # fmt: skip
        repository.git("config", key, touch)
    hook = repository.root / ".git" / "hooks" / "post-index-change"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {mark}\n")
    hook.chmod(0o755)
    repository.write({".gitattributes": "* filter=evil diff=evil\n", "zero.json": STAGE3})
    assert told(reviewed(repository.root, "--base", "main", code=1)) == ACTIVATED
    assert not mark.exists()


def test_a_review_writes_nothing_into_the_repository(repository):
    repository.write({"zero.json": STAGE3})
    before = {file: file.stat().st_mtime_ns for file in repository.root.rglob("*")}
    run(repository.root, "--base", "main", code=1)
    assert {file: file.stat().st_mtime_ns for file in repository.root.rglob("*")} == before


def test_links_submodules_and_odd_names(repository, tmp_path):
    other = Repository.made(tmp_path / "other", {"x.py": "x = 1\n"})
    repository.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(other.root), "sub")
    (repository.root / "linked.py").symlink_to("model.py")
    (repository.root / "away.py").symlink_to("/etc/passwd")
    odd = os.fsdecode(b"caf\xe9.py")
    repository.commit({odd: "x = 1\n", 'qu"o\tte.py': "y = 1\n", "zero.json": STAGE3})
    found = reviewed(repository.root, "--base", "HEAD~1", "--head", "HEAD", code=1)
    assert told(found) == ACTIVATED
    news = [change["new"] for change in found["changes"]]
    assert news == sorted(["caf\\udce9.py", 'qu"o\tte.py', "zero.json"])
    assert [(p["path"], p["kind"]) for p in found["problems"]] == [("away.py", "link"), ("linked.py", "link")]
    assert found["unknown"] == ["Submodules are not read: sub."]


def test_a_file_that_becomes_unreadable_mends_nothing(tmp_path):
    repository = Repository.made(tmp_path / "repo", FATAL)
    repository.commit({"model.py": MODEL + "def (:\n"})
    found = reviewed(repository.root, "--base", "HEAD~1", "--head", "HEAD")
    assert mended(found) == []
    assert "model.py cannot be read" in found["unknown"][0] and found["stopped"] == []


def test_a_file_that_becomes_unreadable_fails_strictly_and_is_in_the_last_line(tmp_path):
    repository = Repository.made(tmp_path / "repo", FATAL)
    repository.commit({"model.py": MODEL + "def (:\n"})
    between = ("--base", "HEAD~1", "--head", "HEAD")
    last = run(repository.root, *between, code=0).stdout.splitlines()[-1]
    assert last.startswith("nothing new · model.py cannot be read: what it holds is not known · ")
    run(repository.root, *between, "--strict", code=1)
    run(repository.root, *between, "--strict", "--exit-zero", code=0)
    annotated = (*between, "--format", "github")
    assert run(repository.root, *annotated, code=0).stdout.startswith("::warning file=model.py")
    assert run(repository.root, *annotated, "--strict", code=1).stdout.startswith("::error file=model.py")
    repository.commit({"notes.md": "# notes\n"})
    run(repository.root, *between, "--strict", code=0)


def test_notes_that_a_change_brings_are_counted(repository):
    assert not reviewed(repository.root, "--base", "HEAD", code=0)["notes"]
    repository.commit(
        {"run.sh": "CUDA_VISIBLE_DEVICES=$GPUS " + RUN.replace(" train", " --num_gpus 2 train")}
    )
    between = ("--base", "HEAD~1", "--head", "HEAD")
    found = reviewed(repository.root, *between, code=0)
    assert (told(found), found["notes"]) == ([], 1)
    last = run(repository.root, *between).stdout.splitlines()[-1]
    assert last.startswith("nothing new, 1 note (--fail-on info shows it) · ")
    loud = reviewed(repository.root, *between, "--fail-on", "info", code=1)
    assert (len(told(loud)), loud["notes"]) == (1, 0)


def test_five_thousand_files_are_one_quick_diff(repository):
    repository.commit({f"data/part{i}.json": '{"a": 1}\n' for i in range(5000)})
    repository.commit({**{f"data/part{i}.json": '{"a": 2}\n' for i in range(5000)}, "zero.json": STAGE3})
    found = reviewed(repository.root, "--base", "HEAD~1", "--head", "HEAD", code=1)
    assert told(found) == ACTIVATED
    assert len(found["changes"]) == 5001


PATCH = """\
diff --git a/zero.json b/zero.json
--- a/zero.json
+++ b/zero.json
@@ -2,6 +2,6 @@
   "gradient_clipping": "auto",
   "train_micro_batch_size_per_gpu": "auto",
   "zero_optimization": {
-    "stage": 2
+    "stage": 3
   }
 }
"""


def test_a_patch_is_what_it_makes_of_head(repository, tmp_path):
    assert told(reviewed(repository.root, "--patch", "-", given=PATCH, code=1)) == ACTIVATED
    (tmp_path / "x.diff").write_text(PATCH)
    assert told(reviewed(repository.root, "--patch", str(tmp_path / "x.diff"), code=1)) == ACTIVATED
    assert (repository.root / "zero.json").read_text() == JSON


def test_a_patch_that_head_already_has_is_taken_back_for_the_base(repository):
    repository.commit({"zero.json": STAGE3})
    found = reviewed(repository.root, "--patch", "-", given=PATCH, code=1)
    assert told(found) == ACTIVATED
    assert "already has" in found["unknown"][0] and found["base"] == "before the diff"
    last = run(repository.root, "--patch", "-", given=PATCH).stdout.splitlines()[-1]
    assert last.endswith(f"before the diff..{found['head'][:12]}")


def test_a_patch_that_does_not_fit_names_the_place(repository):
    message = failure(repository.root, "--patch", "-", given=PATCH.replace("gradient", "other"))
    assert "does not fit" in message and "zero.json:2" in message
    assert "line 1" in failure(repository.root, "--patch", "-", given="hello\nworld\n")
    assert "cannot read" in failure(repository.root, "--patch", "gone.diff")


def test_a_patch_without_a_repository_says_what_is_not_known(tmp_path):
    repository = Repository.made(tmp_path / "repo")
    repository.commit({"zero.json": STAGE3})
    diff = subprocess.run(
        ["git", "-C", str(repository.root), "diff", "4b825dc642cb6eb9a060e54bf8d69288fbee4904", "HEAD"],
        capture_output=True, check=True, text=True,
    ).stdout  # fmt: skip
    (tmp_path / "plain").mkdir()
    found = reviewed(tmp_path / "plain", "--patch", "-", given=diff, code=1)
    assert [t[:3] for t in told(found)] == [("MM201", "model.py:18", "introduced")]
    assert "no repository" in found["unknown"][0]
    found = reviewed(tmp_path / "plain", "--patch", "-", given=PATCH, code=0)
    assert "zero.json" in found["unknown"][1]


def test_the_same_review_has_the_same_bytes(repository):
    repository.commit({"zero.json": STAGE3})
    command = [sys.executable, "-m", "mmcodemod", "review", ".", "--base", "HEAD~1", "--format", "json"]
    known = {**os.environ, "PYTHONPATH": str(Path(mmcodemod.__file__).parents[1])}
    seeds = ({"PYTHONHASHSEED": "1"}, {"PYTHONHASHSEED": "2"}, {"MMCODEMOD_NO_CACHE": "1"})
    answers = {
        subprocess.run(command, cwd=repository.root, env={**known, **more}, capture_output=True).stdout
        for more in seeds
    }
    assert len(answers) == 1 and answers.pop().startswith(b"{")


@pytest.fixture
def two_processes(monkeypatch):
    """Reviews of however small trees work in two processes, and ask no cache."""
    if sys.platform != "linux":
        pytest.skip("only Linux forks")
    monkeypatch.setattr(beside, "PAYS", 0)
    monkeypatch.setattr(beside.os, "sched_getaffinity", lambda _: {0, 1})
    monkeypatch.setenv("MMCODEMOD_NO_CACHE", "1")


def test_two_processes_say_the_same_as_one(repository, two_processes, monkeypatch):
    repository.commit({"zero.json": STAGE3})
    between = ("--base", "HEAD~1", "--head", "HEAD")
    alone = reviewed(repository.root, *between, "-j", "1", code=1)
    received, real = [], beside._received
    monkeypatch.setattr(beside, "_received", lambda here: received.append(real(here)) or received[-1])
    assert reviewed(repository.root, *between, code=1) == alone
    assert len(received) == 1 and received[0]


def test_the_work_of_a_process_that_fails_is_done_again(repository, two_processes, monkeypatch):
    repository.commit({"zero.json": STAGE3})
    monkeypatch.setattr(beside, "_encoded", lambda report: os.kill(os.getpid(), signal.SIGKILL))
    assert told(reviewed(repository.root, "--base", "HEAD~1", "--head", "HEAD", code=1)) == ACTIVATED
    monkeypatch.setattr(beside, "_encoded", lambda report: 1 / 0)
    assert told(reviewed(repository.root, "--base", "HEAD~1", "--head", "HEAD", code=1)) == ACTIVATED


@pytest.mark.parametrize(
    ("name", "where"),
    [
        ("github", "::error file=training/zero.json,line=5"),
        ("gitlab", '"path": "training/zero.json"'),
        ("rdjson", '"path": "training/zero.json"'),
        ("sarif", '"uri": "training/zero.json"'),
        ("junit", 'file="training/zero.json" line="5"'),
        ("markdown", "training/zero.json:5"),
        ("html", "zero.json:5"),
    ],
)
def test_the_formats_of_a_check_place_it_on_the_line_that_activates_it(tmp_path, name, where):
    inside = {f"training/{path}": text for path, text in SOUND.items()}
    repository = Repository.made(tmp_path / "repo", inside)
    repository.commit({"training/zero.json": STAGE3})
    command = (repository.root / "training", "--base", "HEAD~1", "--head", "HEAD", "--format", name)
    assert where in run(*command, code=1).stdout


def test_the_formats_of_a_check_hold_what_is_new_alone(repository):
    repository.commit({"zero.json": STAGE3})
    repository.commit({"README.md": "# Describer\n"})
    command = ("--base", "HEAD~1", "--head", "HEAD", "--format", "github")
    assert run(repository.root, *command, code=0).stdout == ""
