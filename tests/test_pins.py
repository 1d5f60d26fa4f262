"""Which of several requirements holds for an entry, what is open then, and versions that are assumed."""

import json
import time

import pytest

from mmcodemod import pipeline
from mmcodemod.model.context import Source
from mmcodemod.pipeline import Settings
from mmcodemod.project import versions
from mmcodemod.project.pins import Pins
from mmcodemod.report import contexts as reporter
from mmcodemod.source.tree import text_tree


def lock(name, version):
    return f'[[package]]\nname = "{name}"\nversion = "{version}"\n'


def project(*required, **extras):
    lists = "\n".join(f'{name} = ["{spec}"]' for name, spec in extras.items())
    return f"[project]\ndependencies = {json.dumps(required)}\n[project.optional-dependencies]\n{lists}\n"


def holding(files, entry="train.py", assumed=None, name="deepspeed"):
    """The specifier that holds with its place, then those that hold just as much."""
    found = Pins.of(text_tree(files), assumed).holding(entry).get(name)
    if found is None:
        return []
    return [f"{found.spec} {found.at}", *(f"{other.spec} {other.at}" for other in found.others)]


def test_a_lock_counts_before_the_range_that_it_locks():
    files = {"pyproject.toml": project("deepspeed>=0.14,<0.17"), "uv.lock": lock("deepspeed", "0.14.2")}
    assert holding(files) == ["==0.14.2 uv.lock:3"]


def test_a_lock_that_its_range_excludes_is_open():
    files = {"pyproject.toml": project("deepspeed>=0.16"), "uv.lock": lock("deepspeed", "0.14.2")}
    assert holding(files) == ["==0.14.2 uv.lock:3", ">=0.16 pyproject.toml:2"]


def test_a_lock_of_another_folder_does_not_count_before_the_nearest():
    files = {"a/pyproject.toml": project("deepspeed>=0.14,<0.17"), "uv.lock": lock("deepspeed", "0.14.2")}
    assert holding(files, "a/train.py") == [">=0.14,<0.17 a/pyproject.toml:2"]
    assert holding(files, "b/train.py") == ["==0.14.2 uv.lock:3"]
    assert holding({"b/uv.lock": lock("deepspeed", "0.14.2")}, "a/train.py") == []


def test_a_file_of_abbreviated_name_beside_the_entry_is_one_of_several():
    files = {"requirements.txt": "deepspeed==0.9.2", "fuse/ds_req.txt": "deepspeed==0.5.10"}
    both = ["==0.9.2 requirements.txt:1", "==0.5.10 fuse/ds_req.txt:1"]
    assert holding(files, entry="fuse/train.py") == both
    assert holding(files) == both[:1]
    assert holding({"fuse/reqs.txt": "deepspeed==0.5.10"}, entry="fuse/train.py") == [
        "==0.5.10 fuse/reqs.txt:1"
    ]
    assert holding({"frequent.txt": "deepspeed==0.5.10"}) == []


def test_a_lock_with_two_versions_is_open():
    files = {"uv.lock": lock("deepspeed", "0.14.2") + lock("deepspeed", "0.16.9")}
    assert holding(files) == ["==0.14.2 uv.lock:3", "==0.16.9 uv.lock:6"]


def test_two_pins_of_one_folder_are_open():
    files = {"pyproject.toml": project("deepspeed==0.14.2"), "requirements.txt": "deepspeed==0.16.9\n"}
    assert holding(files) == ["==0.14.2 pyproject.toml:2", "==0.16.9 requirements.txt:1"]


def test_equal_pins_are_one():
    files = {"pyproject.toml": project("deepspeed==0.14.2"), "requirements.txt": "deepspeed==0.14.2\n"}
    assert holding(files) == ["==0.14.2 pyproject.toml:2"]


def test_a_pin_of_every_installation_counts_before_ranges_that_allow_it():
    files = {
        "setup.py": "setup(install_requires=['deepspeed>=0.10'])",
        "requirements.txt": "deepspeed==0.14.2",
    }
    assert holding(files) == ["==0.14.2 requirements.txt:1"]


@pytest.mark.parametrize(
    "files",
    [
        {"pyproject.toml": project("deepspeed>=0.10", npu="deepspeed==0.9.5")},
        {"pyproject.toml": project("deepspeed>=0.10", npu="deepspeed==0.14.2")},
        {"requirements.txt": "deepspeed>=0.10\ndeepspeed==0.14.2; python_version < '3.9'\n"},
        {"requirements.txt": "deepspeed>=0.10\n", "requirements-npu.txt": "deepspeed==0.14.2\n"},
        {"requirements.txt": "deepspeed>=0.10\n", "Dockerfile": "RUN pip install deepspeed==0.14.2\n"},
        {"setup.py": "setup(install_requires=['deepspeed>=0.1'], extras_require={'n': ['deepspeed==0.14']})"},
    ],
)
def test_a_pin_of_some_installations_is_one_of_several(files):
    assert {row.split()[0][:2] for row in holding(files)} == {">=", "=="}


def test_a_requirement_from_git_has_no_version_and_contradicts_pins():
    git = "deepspeed @ git+https://h/deepspeed.git@v1"
    files = {"requirements.txt": f"{git}\n", "pyproject.toml": project("deepspeed==0.14.2")}
    assert len(holding(files)) == 2
    assert holding({**files, "poetry.lock": lock("deepspeed", "0.14.2")}) == ["==0.14.2 poetry.lock:3"]


def test_a_specifier_counts_before_none_and_the_folder_before_its_docker_folder():
    docker = {"docker/gpu/Dockerfile": "RUN pip install deepspeed==0.14.2\n"}
    assert holding({**docker, "requirements.txt": "deepspeed\n"}) == ["==0.14.2 docker/gpu/Dockerfile:1"]
    assert holding({**docker, "requirements.txt": "deepspeed<0.20\n"}) == ["<0.20 requirements.txt:1"]
    assert holding(docker, "docker/gpu/train.py") == ["==0.14.2 docker/gpu/Dockerfile:1"]


def test_a_readme_is_the_last_resort():
    files = {"README.md": "```bash\npip install deepspeed==0.9.5\n```\n"}
    assert holding(files) == ["==0.9.5 README.md:2"]
    assert holding({**files, "requirements.txt": "deepspeed\n"}) == ["==0.9.5 README.md:2"]
    assert holding({**files, "requirements.txt": "deepspeed>0.1\n"}) == [">0.1 requirements.txt:1"]
    assert Pins.of(text_tree(files)).holding("train.py")["deepspeed"].source is Source.README


TOGETHER = 'pip install -e "part/.[run]"\npip install ninja && pip install -r requirements.txt\n'
EXTRA = {"part/pyproject.toml": project(run="deepspeed==0.12.2")}


@pytest.mark.parametrize(
    "commands",
    [
        {"README.md": f"```bash\n{TOGETHER}```\n"},
        {"setup.sh": TOGETHER},
        {"Dockerfile": "RUN pip install ./part && pip install --requirement requirements.txt\n"},
        {"README.md": "```bash\ncd part\npip install -e .\npip install -r ../requirements.txt\n```\n"},
    ],
)
def test_a_file_installed_together_with_a_project_that_it_contradicts_is_open(commands):
    files = {**EXTRA, **commands, "requirements.txt": "deepspeed>=0.14.0\n"}
    both = ["==0.12.2 part/pyproject.toml:4", ">=0.14.0 requirements.txt:1"]
    assert holding(files, "part/part/train.py") == both


@pytest.mark.parametrize(
    ("text", "readme"),
    [
        ("deepspeed>=0.10\n", TOGETHER),  # what is installed suffices
        ("deepspeed\n", TOGETHER),
        ("deepspeed>=0.14\n", "pip install -r requirements.txt\n```\n```sh\ncd part && poetry install\n"),
        ("deepspeed>=0.14\n", "pip install -e part\n```\n```sh\npip install -r requirements.txt\n"),
    ],
)
def test_a_file_that_adds_nothing_or_is_installed_elsewhere_does_not_count(text, readme):
    files = {**EXTRA, "requirements.txt": text, "README.md": f"```sh\n{readme}```\n"}
    assert holding(files, "part/part/train.py") == ["==0.12.2 part/pyproject.toml:4"]


@pytest.mark.parametrize("text", ["deepspeed>=0.14\n", "deepspeed>=0.12.2\n"])
@pytest.mark.parametrize("other", ["", "pip install -e other\n"])
def test_a_file_that_commands_install_beside_a_project_that_they_never_install_is_open(text, other):
    readme = f"```sh\n{other}pip install -r requirements.txt\n```\n"
    files = {**EXTRA, "requirements.txt": text, "README.md": readme}
    both = ["==0.12.2 part/pyproject.toml:4", f"{text.strip().removeprefix('deepspeed')} requirements.txt:1"]
    assert holding(files, "part/part/train.py") == both


def test_commands_below_a_project_may_set_up_another_environment():
    readme = "```sh\npip install -e ..\npip install -r requirements.txt\n```\n"
    files = {"judge/README.md": readme, "judge/requirements.txt": "deepspeed>=0.14\n"}
    files["pyproject.toml"] = project("deepspeed==0.12.2")
    assert holding(files) == ["==0.12.2 pyproject.toml:2"]


def test_too_many_specifiers_are_as_good_as_none():
    files = {"requirements-a.txt": "".join(f"deepspeed<0.{n}\n" for n in range(40))}
    assert holding(files) == [" requirements-a.txt:1"]


def test_many_requirements_take_no_time():
    begun = time.process_time()
    files = {"uv.lock": "".join(lock("deepspeed", f"1.{n}") for n in range(30_000))}
    for number in range(400):
        lines = "".join(f"-r ../{other}/requirements.txt\n" for other in range(400))
        files[f"{number}/requirements.txt"] = f"{lines}deepspeed<{number}\n"
    pins = Pins.of(text_tree(files))
    assert not any(pins.holding(f"{number}/train.py") for number in range(400))
    assert time.process_time() - begun < 20


RUN = {
    "train.py": "loss.backward()\n",
    "run.sh": "deepspeed train.py --deepspeed ds.json\n",
    "ds.json": '{"zero_optimization": {"stage": 2}}',
}


def context(files, **assume):
    report = pipeline.check(text_tree({**RUN, **files}), Settings(assume=assume))
    (found,) = report.contexts
    return found, report


@pytest.mark.parametrize(
    ("pins", "answer"),
    [
        (("==0.14.2",), True),
        (("==0.14.2", "==0.15.0"), True),
        (("==0.14.2", "==0.16.9"), None),
        (("==0.16.9", "==0.17.0"), False),
        ((">=0.10", "==0.14.2"), None),
        ((), None),
    ],
)
def test_what_is_open_is_answered_only_when_all_agree(pins, answer):
    files = {f"requirements-{n}.txt": f"deepspeed{pin}\n" for n, pin in enumerate(pins)}
    found, _ = context(files)
    assert versions.below(found, "deepspeed", "0.16") is answer


def test_an_assumed_version_counts_before_everything():
    files = {"uv.lock": lock("deepspeed", "0.14.2")}
    assert versions.below(context(files)[0], "deepspeed", "0.16") is True
    found, report = context(files, deepspeed="0.16.9", numpy="2.0")
    assert versions.below(found, "deepspeed", "0.16") is False
    assert versions.below(found, "numpy", "3") is True
    assert "deepspeed==0.16.9 (--assume), numpy==2.0 (--assume)" in reporter.render(report)
    parts = json.loads(reporter.render_json(report))["contexts"][0]["dependencies"]
    assert parts["deepspeed"] == {"spec": "==0.16.9", "path": None, "line": None, "source": "assumed"}
    note = versions.pinned(found, "deepspeed", ", x")
    assert (note.note, str(note.at)) == ("deepspeed==0.16.9 (--assume), x", "run.sh:1")


def test_contexts_name_the_place_of_each_version():
    files = {"requirements.txt": "deepspeed==0.14.2\n", "Dockerfile": "RUN pip install deepspeed==0.16.9\n"}
    found, report = context(files)
    assert "deepspeed==0.14.2 (requirements.txt:1) or ==0.16.9 (Dockerfile:1)" in reporter.render(report)
    parts = json.loads(reporter.render_json(report))["contexts"][0]["dependencies"]["deepspeed"]
    assert parts["others"] == [{"spec": "==0.16.9", "path": "Dockerfile", "line": 1}]
    assert "or ==0.16.9 (Dockerfile:1)" in versions.pinned(found, "deepspeed", "").note
    _, report = context({"README.md": "```sh\npip install deepspeed==0.9.5\n```\n"})
    assert "deepspeed==0.9.5 (README, README.md:2)" in reporter.render(report)


@pytest.mark.parametrize("path", ["docs/use.md", "INSTALL.md"])
def test_an_install_command_of_a_page_that_is_no_readme_is_said_to_be_one(path):
    found, report = context({path: "```sh\npip install deepspeed==0.9.5\n```\n"})
    assert f"deepspeed==0.9.5 (page, {path}:2)" in reporter.render(report)
    assert (
        versions.stated(found.dependencies["deepspeed"]) == "deepspeed==0.9.5 (an install command of a page)"
    )


def test_an_entry_that_nothing_launches_and_a_library_have_versions():
    step = "import torch.nn as nn\ndef main():\n    for x in data:\n        m(x).backward()\n"
    step += "        opt.step()\nif __name__ == '__main__':\n    main()\n"
    files = {"a/train.py": step, "a/requirements.txt": "torch==2.1\n", "requirements.txt": "torch==2.0\n"}
    (entry,) = pipeline.check(text_tree(files)).contexts
    assert entry.dependencies["torch"].spec == "==2.1"
    library = {"m.py": "import deepspeed\nclass A: pass\n", "requirements.txt": "torch==2.0\n"}
    (found,) = pipeline.build_project(text_tree(library), Settings(assume={"peft": "1.0"})).contexts
    assert {n: d.spec for n, d in found.dependencies.items()} == {"torch": "==2.0", "peft": "==1.0"}


def test_a_message_names_both_places_of_a_contradiction():
    files = {"train.py": "from transformers import Trainer\nTrainer(model=m).train()\n"}
    files |= {"requirements.txt": "deepspeed==0.16.9\n", "Dockerfile": "RUN pip install deepspeed==0.19.4\n"}
    (message,) = [f.message for f in context(files)[1].findings if f.rule == "MM303"]
    assert "the deepspeed version (==0.16.9 at requirements.txt:1 or ==0.19.4 at Dockerfile:1)" in message


def test_an_assumed_version_decides_a_finding():
    """MM303: from 0.19.3 on DeepSpeed clips by default."""
    files = {"train.py": "from transformers import Trainer\nTrainer(model=m).train()\n"}

    def severities(**assume):
        _, report = context({**files, "requirements.txt": "deepspeed==0.14.2\n"}, **assume)
        return [f.severity.value for f in report.findings if f.rule == "MM303"]

    assert severities() != severities(deepspeed="0.19.3")


ENVIRONMENT = "name: mine\nchannels:\n  - defaults\ndependencies:\n  - pip:\n    - deepspeed==0.12.6\n"


@pytest.mark.parametrize("path", ["mine.yml", "gpu.yaml", "envs/mine.yml", "conda/gpu.yaml"])
def test_an_environment_under_a_name_of_its_own(path):
    assert holding({path: ENVIRONMENT}) == [f"==0.12.6 {path}:6"]


def test_other_yaml_is_no_environment():
    assert holding({"mine.yml": "dependencies:\n  - deepspeed==0.12.6\n"}) == []
    assert holding({"mine.yml": "name: x\nneeds:\n  - deepspeed==0.12.6\n"}) == []
    assert holding({"conf/mine.yml": ENVIRONMENT}) == []


PAGE = "```bash\npip install deepspeed==0.12.6\n```\n"


@pytest.mark.parametrize("path", ["EVAL.md", "docs/train.md", "doc/more/train.md", "scripts/HOW.md"])
def test_any_page_tells_what_to_install(path):
    assert holding({path: PAGE}) == [f"==0.12.6 {path}:2"]
    assert holding({path: PAGE, "README.md": PAGE.replace("12", "14")}) == ["==0.14.6 README.md:2"]
    assert holding({path: PAGE, "requirements.txt": "deepspeed>=0.15\n"}) == [">=0.15 requirements.txt:1"]


def test_pages_beside_the_entry_and_pages_of_the_past():
    assert holding({"part/EVAL.md": PAGE}) == []
    assert holding({"part/EVAL.md": PAGE}, "part/train.py") == ["==0.12.6 part/EVAL.md:2"]
    assert holding({"CHANGELOG.md": PAGE}) == []


def test_what_builds_the_pages_is_no_environment_of_a_run():
    assert (
        holding({"docs/environment.yml": ENVIRONMENT, "docs/build.sh": "pip install deepspeed==0.9\n"}) == []
    )


def test_pages_that_differ_leave_it_open():
    files = {"docs/a.md": PAGE, "docs/b.md": PAGE.replace("12", "14")}
    assert holding(files) == ["==0.12.6 docs/a.md:2", "==0.14.6 docs/b.md:2"]


PINNED = "dependencies:\n  - pip:\n      - accelerate==0.29.2\n      - transformers==4.44.2\n"


def test_a_bare_requirement_counts_where_another_environment_pins():
    files = {"environment.yml": PINNED, "requirements.txt": "transformers==4.46.2\naccelerate\n"}
    assert holding(files, name="accelerate") == ["==0.29.2 environment.yml:3", " requirements.txt:2"]


def test_it_does_not_where_both_files_agree_on_all_that_they_pin():
    files = {"environment.yml": PINNED, "requirements.txt": "transformers==4.44.2\naccelerate\n"}
    assert holding(files, name="accelerate") == ["==0.29.2 environment.yml:3"]
