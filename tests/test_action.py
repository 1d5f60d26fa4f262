"""action.yml: its form, and its steps run one by one as it says. tests/e2e installs it for real."""

import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from action_steps import EXPRESSION, ROOT, Runner, action

import mmcodemod

SOURCE = Path(mmcodemod.__file__).parents[1]
FILES = {
    "ds.json": '{\n  "zero_optimization": {"stage": 2}\n}\n',
    "train.py": "from transformers import Trainer\n\nTrainer(model=build(), args=args).train()\n",
    "run.sh": "deepspeed train.py --deepspeed ds.json\n",
    "requirements.txt": "deepspeed==0.12.6\n",
}
STAND_IN = """#!/bin/sh
# The python of the action: what it is asked is written down; `review` is answered here.
[ "$1 $2 $3" = "-I -m mmcodemod" ] || {{ echo "not isolated: $*" >&2; exit 99; }}
shift 3
printf '%s\\n' "$*" >>"{asked}"
if [ "$1" = review ]; then echo '::error::said by the review'; exit "${{REVIEW_STATUS:-1}}"; fi
exec "{python}" -I -c 'import sys; sys.path.insert(0, "{source}")
from mmcodemod.cli.main import main
main()' "$@"
"""


def git(folder, *arguments):
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "init.defaultBranch=main")
    done = subprocess.run(
        ["git", *identity, *arguments], cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


@pytest.fixture
def runner(tmp_path):
    """A workspace with one finding, a runner's folder, and a stand-in for the installed Python."""
    workspace, temporary = tmp_path / "work space", tmp_path / "temp"
    workspace.mkdir()
    for name, text in FILES.items():
        (workspace / name).write_text(text)
    git(workspace, "init", "-q")
    git(workspace, "add", ".")
    git(workspace, "commit", "-qm", "one")
    python = temporary / "mmcodemod.x" / "venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    asked = temporary / "asked"
    asked.touch()
    python.write_text(STAND_IN.format(asked=asked, python=sys.executable, source=SOURCE))
    python.chmod(python.stat().st_mode | stat.S_IXUSR)
    return Runner(workspace, temporary, steps={"install": {"python": str(python)}})


def asked(runner):
    return (runner.temporary / "asked").read_text().splitlines()


def commands(runner):
    """The lines that the runner reads as commands: those between a stop and its token are none."""
    found, token = [], ""
    for line in runner.log.split("\n"):
        stopped = re.fullmatch(r"::stop-commands::(\w{32})", line)
        if token:
            token = "" if line == f"::{token}::" else token
        elif stopped:
            token = stopped[1]
        elif line.lstrip().startswith("::") or "##[" in line:
            found.append(line)
    assert not token
    return found


def test_other_actions_are_pinned_to_full_commits():
    used = [step["uses"] for step in action()["runs"]["steps"] if "uses" in step]
    assert used
    for name in used:
        assert re.fullmatch(r"[\w-]+/[\w/-]+@[0-9a-f]{40}", name)


def test_no_expression_reaches_a_script():
    for step in action()["runs"]["steps"]:
        assert not EXPRESSION.search(step.get("run", ""))
        assert step.get("shell") == ("bash" if "run" in step else None)


def test_every_input_and_output_is_described():
    parsed = action()
    for one in (*parsed["inputs"].values(), *parsed["outputs"].values()):
        assert one["description"].strip()
    assert all(isinstance(one["default"], str) for one in parsed["inputs"].values())


def test_a_check_annotates_and_writes_the_summary(runner):
    assert runner.run("check") == 1
    (annotation,) = commands(runner)
    assert annotation.startswith("::warning file=ds.json,line=3,endLine=3,col=1,endColumn=2,title=MM303 ")
    assert runner.summary.startswith("## mmcodemod\n") and "<br>MM303 " in runner.summary
    assert runner.steps["check"] == {"exit-code": "1"}
    assert git(runner.workspace, "status", "--porcelain") == ""


def test_nothing_found(runner):
    (runner.workspace / "ds.json").write_text(
        '{"zero_optimization": {"stage": 2}, "gradient_clipping": 1.0}\n'
    )
    runner.inputs = {"fail-on": "error"}
    assert runner.run("check") == 0
    assert commands(runner) == [] and runner.steps["check"] == {"exit-code": "0"}


def test_fail_on_and_args_and_paths_are_passed(runner):
    folder = runner.workspace / "a folder"
    folder.mkdir()
    (folder / "x.py").write_text("x = 1\n")
    runner.inputs = {"fail-on": "error", "args": "--no-cache  --select MM3\n", "paths": "a folder\n\n.\n"}
    assert runner.run("check") == 0
    assert asked(runner)[0].startswith(
        "check --strict --no-cache --select MM3 --fail-on error --format github --output "
    )
    assert asked(runner)[0].endswith(" -- a folder .")


@pytest.mark.parametrize(("inputs", "expected"), [({}, 1), ({"strict": "false"}, 0)])
def test_a_file_that_cannot_be_parsed_fails_the_step(runner, inputs, expected):
    (runner.workspace / "train.py").write_text("def f(:\n")
    (runner.workspace / "other.py").touch()
    (runner.workspace / "far.py").symlink_to("/nowhere.py")
    runner.inputs = {"fail-on": "error", **inputs}
    assert runner.run("check") == expected


def test_sarif_is_written_where_it_was_asked_for(runner):
    runner.inputs = {"sarif": "out.sarif"}
    assert runner.run("check") == 1
    assert '"version": "2.1.0"' in (runner.workspace / "out.sarif").read_text()


def test_a_link_where_the_sarif_file_belongs_is_not_followed(runner):
    aim = runner.temporary / "aim"
    aim.write_text("kept\n")
    (runner.workspace / "out.sarif").symlink_to(aim)
    runner.inputs = {"sarif": "out.sarif"}
    assert runner.run("check") == 1
    assert aim.read_text() == "kept\n" and (runner.workspace / "out.sarif").is_file()


def test_a_report_of_nothing_is_not_left_for_upload(runner):
    """Code scanning would close all alerts."""
    for name in FILES:
        (runner.workspace / name).unlink()
    (runner.workspace / "broken.py").write_text("def f(:\n")
    runner.inputs = {"sarif": "out.sarif"}
    assert runner.run("check") == 2
    assert not (runner.workspace / "out.sarif").exists() and "no file could be read" in runner.log
    (told,) = commands(runner)
    assert told.startswith("::error file=broken.py,line=1,")


@pytest.mark.parametrize("name", ["paths", "args", "fail-on", "sarif"])
@pytest.mark.parametrize(
    "evil", ["$(touch owned)", "`touch owned`", "; touch owned", '"; touch owned; "', "*"]
)
def test_inputs_are_never_run(runner, name, evil):
    runner.inputs = {name: evil}
    runner.run("check")
    assert not list(runner.workspace.rglob("owned")) and not list(runner.temporary.rglob("owned"))


def test_arguments_that_are_wrong_end_with_two_and_say_why(runner):
    runner.inputs = {"args": "--no-such-option", "sarif": "out.sarif"}
    assert runner.run("check") == 2
    assert "No such option" in runner.log and runner.steps["check"] == {"exit-code": "2"}


def test_names_in_the_repository_give_the_runner_no_commands(runner):
    for name in ("::add-mask::e.py", "##[stop-commands]x.py", "a\n::error::x.py"):
        (runner.workspace / name).write_text("def f(:\n")
    runner.inputs = {"args": "--strict"}
    assert runner.run("check") == 1
    told = commands(runner)
    assert [re.match(r"::(\w+) file=[^,]+,", line)[1] for line in told] == ["warning", *["error"] * 3]
    runner.inputs = {"args": "::error::owned"}
    assert runner.run("check") == 2
    assert commands(runner) == told and "no such file or folder: ::error::owned" in runner.log


# -- pull requests --------------------------------------------------------------------------------------


@pytest.fixture
def pull(runner):
    """The runner in a pull request of one commit."""
    base = git(runner.workspace, "rev-parse", "HEAD")
    git(runner.workspace, "commit", "-q", "--allow-empty", "-m", "two")
    head = git(runner.workspace, "rev-parse", "HEAD")
    repo = {"full_name": "owner/repository"}
    runner.event = {"pull_request": {"number": 7, "base": {"sha": base}, "head": {"sha": head, "repo": repo}}}
    runner.inputs = {"comment": "true", "fail-on": "error"}
    return runner


def ends(runner):
    request = runner.event["pull_request"]
    return f"--base {request['base']['sha']} --head {request['head']['sha']}"


def test_a_pull_request_is_reviewed_with_comments(pull):
    assert pull.run("check") == 1
    assert asked(pull) == [f"review --strict --fail-on error {ends(pull)} --pr 7 --forge github -- ."]
    assert commands(pull) == [] and "said by the review" in pull.log
    assert pull.summary == "## mmcodemod\n\n    ::error::said by the review\n"


def test_the_review_is_of_the_folder_when_there_is_one(pull):
    (pull.workspace / "sub folder").mkdir()
    pull.inputs["paths"] = "sub folder"
    pull.run("check")
    assert asked(pull)[0].endswith(" --forge github -- sub folder")
    pull.inputs["paths"] = "sub folder\nds.json"
    pull.run("check")
    assert asked(pull)[1].endswith(" --forge github -- .")


def test_a_review_can_go_with_a_sarif_file(pull):
    pull.inputs["sarif"] = "out.sarif"
    assert pull.run("check") == 1
    assert commands(pull) == [] and (pull.workspace / "out.sarif").exists()


def test_a_pull_request_without_comment_is_checked(pull):
    pull.inputs = {"fail-on": "error"}
    assert pull.run("check") == 0
    assert {line.split()[0] for line in asked(pull)} == {"check"}


@pytest.mark.parametrize("why", ["fork", "no token"])
def test_without_a_token_that_may_write_the_summary_and_annotations_tell(pull, why):
    if why == "fork":
        pull.event["pull_request"]["head"]["repo"] = {"full_name": "somebody/fork"}
    else:
        pull.inputs["github-token"] = ""
    pull.environment = {"REVIEW_STATUS": "0"}
    assert pull.run("check") == 0
    text, annotations = asked(pull)
    assert text == f"review --strict --fail-on error {ends(pull)} -- ."
    assert annotations == f"review --strict --fail-on error {ends(pull)} --format github -- ."
    assert len(commands(pull)) == 1 and "said by the review" in pull.summary


def test_a_shallow_checkout_gets_the_history(pull, tmp_path):
    origin, clone = pull.workspace, tmp_path / "clone"
    git(origin, "update-ref", "refs/pull/7/head", "HEAD")
    git(tmp_path, "clone", "-q", "--depth=1", f"file://{origin}", str(clone))
    pull.workspace = clone
    assert pull.run("check") == 1
    assert asked(pull)[0].startswith("review ")


def test_a_history_that_cannot_be_had_is_said_and_all_is_checked(pull):
    pull.event["pull_request"]["base"]["sha"] = "0" * 40
    assert pull.run("check") == 0
    assert commands(pull)[0].startswith("::warning title=mmcodemod::The history")
    assert asked(pull)[0].startswith("check ")


def test_the_script_is_well_formed():
    subprocess.run(["bash", "-n", ROOT / "tools" / "action.sh"], check=True)
