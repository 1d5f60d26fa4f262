"""What is found in a launch that cannot read its configuration."""

import pytest

from mmcodemod.pipeline import Settings, build_project, check
from mmcodemod.project.unread_configs import unread
from mmcodemod.source.tree import text_tree

BODY = """\
    model = AutoModelForCausalLM.from_pretrained("org/base")
    if dist.get_rank() == 0:
        dist.barrier()
    Trainer(model=model, args=TrainingArguments("out")).train()
"""
IMPORTS = """\
import torch.distributed as dist
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
"""
HYDRA = """\
import os
from pathlib import Path
import hydra
{imports}
HERE = Path(__file__).resolve().parent
{before}

@hydra.main({decorator})
def main(cfg):
{body}
if __name__ == "__main__":
    main()
"""
PLAIN = """\
import argparse
{imports}
if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--config")
    parser.add_argument("--data")
    parser.add_argument("--lr", type=float)
    args = parser.parse_args()
{body}"""
CONFIGS = {"configs/base.yaml": "lr: 0.1\n", "requirements.txt": "transformers==4.57.6\n"}
GONE = 'version_base=None, config_path="../configs", config_name="gone"'
NAMES = 'version_base=None, config_path="../configs", config_name="{}"'


def barrier(train, launch, files):
    """Severity and message of MM401 where the main rank alone waits."""
    tree = {**CONFIGS, "src/train.py": train, "run.sh": f"torchrun --nproc_per_node 8 {launch}\n", **files}
    report = check(text_tree(tree), Settings(preview=True))
    (found,) = [f for f in report.findings if f.rule == "MM401"]
    return found.severity.value, found.message


def hydra(decorator=GONE, flags="", files=(), before=""):
    train = HYDRA.format(imports=IMPORTS, before=before, decorator=decorator, body=BODY)
    return barrier(train, f"src/train.py {flags}", dict(files))


def plain(flags, files=(), launch="src/train.py"):
    return barrier(PLAIN.format(imports=IMPORTS, body=BODY), f"{launch} {flags}", dict(files))


@pytest.mark.parametrize(
    "folder",
    [
        '"../configs"',
        'os.path.join(os.path.dirname(__file__), "..", "configs")',
        'os.path.dirname(os.path.abspath(__file__)) + "/../configs"',
        'str(HERE.parent / "configs")',
    ],
)
@pytest.mark.parametrize("name", ["gone", "gone.yaml"])
def test_a_hydra_program_whose_configuration_is_not_there_is_a_note(folder, name):
    severity, message = hydra(f'config_path={folder}, config_name="{name}"')
    assert severity == "info"
    assert "whether configs/gone.yaml, which src/train.py:10 names, is there: the tree has none" in message


@pytest.mark.parametrize("flag", ["--config-name gone", "--config-name=gone lr=1", "-cn gone"])
def test_so_is_one_whose_launch_names_none_that_is_there(flag):
    severity, message = hydra(NAMES.format("base"), flag)
    assert severity == "info"
    assert "whether configs/gone.yaml, which the launch names, is there" in message


@pytest.mark.parametrize(
    ("decorator", "flags"),
    [
        (NAMES.format("base"), "lr=1"),
        (NAMES.format("base.yaml"), ""),
        (NAMES.format("Base"), ""),  # a file system may take it
        (GONE, "--config-name base"),
        (GONE, "--config-path /data/configs"),
        (GONE, "--config-dir=more"),
        (GONE, "--cfg job"),
        (GONE, '"$@"'),
        (GONE, "hydra.searchpath=[file:///data]"),
        (NAMES.format("base"), "--config-name your_config"),
        (NAMES.format("base"), "--config-name $NAME"),
        ('config_path="../configs"', ""),
        ('config_name="gone"', ""),
        ('config_path="pkg://tower.configs", config_name="gone"', ""),
        ('config_path="/data/configs", config_name="gone"', ""),
        ('config_path="../../configs", config_name="gone"', ""),
        ('config_path="../other", config_name="gone"', ""),  # nothing of that folder is here
        ('config_path=os.environ["CONFIGS"], config_name="gone"', ""),
        ('config_path="../configs", config_name=os.environ.get("NAME", "gone")', ""),
    ],
)
def test_a_hydra_program_of_which_something_does_not_show_dies_nowhere(decorator, flags):
    assert hydra(decorator, flags)[0] == "error"


@pytest.mark.parametrize(
    "files",
    [
        {"configs/gone.yaml": "lr: 1\n"},
        {"configs/gone.yml": "lr: 1\n"},
        {"src/schema.py": "from hydra.core.config_store import ConfigStore\n"},
        {"README.md": "First copy configs/base.yaml to configs/gone.yaml.\n"},
        {"prepare.sh": "sed s/a/b/ configs/base.yaml > configs/gone.yaml\n"},
    ],
)
def test_a_configuration_that_may_be_there_leaves_it_loud(files):
    assert hydra(files=files)[0] == "error"


def test_so_does_a_program_that_changes_its_command_line():
    assert hydra(before="import sys\nsys.argv += ['--config-name', 'base']")[0] == "error"


TORN = 'data:\n  - name: "org/set\n    split: "train"\n'


@pytest.mark.parametrize("name", ["base.yaml", "base"])
def test_a_hydra_configuration_that_is_no_yaml_is_a_note(name):
    torn = {"configs/base.yaml": TORN}
    severity, message = hydra('config_path="../configs"', f"--config-name {name}", torn)
    assert severity == "info"
    assert "whether the run gets past configs/base.yaml:3: what stands there is no YAML" in message


@pytest.mark.parametrize(
    ("text", "ending"), [(TORN, "yaml"), ('{"lr": 0.1,\n "data": {"name": "org/set"}\n', "json")]
)
def test_so_is_a_file_that_the_launch_names(text, ending):
    severity, message = plain(f"--config configs/torn.{ending}", {f"configs/torn.{ending}": text})
    assert severity == "info"
    assert f"whether the run gets past configs/torn.{ending}:" in message


@pytest.mark.parametrize(
    ("text", "ending"),
    [
        ("lr: 1\n---\nlr: 2\n", "yaml"),
        ("lr: !ref <rate>\n", "yaml"),
        ("lr: {{ rate }}\n{% if more %}\n- 1\n", "yaml"),
        ('data: "/path/to/data" data"\n', "yaml"),  # the user is to write it
        ('{"lr": 0.1, // small\n}\n', "json"),
        ("local rate = 0.1;\n{lr: rate}\n", "json"),
    ],
)
def test_what_some_reader_takes_leaves_it_loud(text, ending):
    assert plain(f"--config configs/odd.{ending}", {f"configs/odd.{ending}": text})[0] == "error"


def test_a_file_that_nothing_names_does_not_matter():
    assert plain("--config configs/base.yaml", {"configs/torn.yaml": TORN})[0] == "error"


@pytest.mark.parametrize(
    ("flags", "path"),
    [
        ("--config configs/stage2.yaml --lr 1", "configs/stage2.yaml"),
        ("--lr 1 --config=./configs/stage2.yaml", "configs/stage2.yaml"),
        ("configs/stage2.yaml", "configs/stage2.yaml"),
        ("config=configs/stage2.yaml", "configs/stage2.yaml"),
    ],
)
def test_a_file_that_is_nowhere_beside_others_is_a_note(flags, path):
    severity, message = plain(flags)
    assert severity == "info"
    assert f"whether {path}, which the launch names, is there: the tree has none" in message


@pytest.mark.parametrize(
    "flags",
    [
        "--config configs/base.yaml",
        "--config configs/my_run.yaml",
        "--config configs/config.yaml",
        "--config configs/$RUN.yaml",
        "--config 'configs/<run>.yaml'",
        "--config /data/configs/stage2.yaml",
        "--config ../configs/stage2.yaml",
        "--config path/to/stage2.yaml",
        "--config stage2.yaml",
        "--config others/stage2.yaml",
        "--config configs/stage2.py",
        "--config configs/stage2.json",
        "--data configs/stage2.yaml",
        "data=configs/stage2.yaml",
        "--config configs/stage2.yaml --config configs/base.yaml",
        '--config configs/stage2.yaml "$@"',
    ],
)
def test_a_file_that_is_there_or_that_the_user_brings_leaves_it_loud(flags):
    assert plain(flags)[0] == "error"


@pytest.mark.parametrize(
    "files",
    [
        {"src/configs/stage2.yaml": "lr: 1\n"},
        {"configs/old/stage2.yaml": "lr: 1\n"},
        {"README.md": "Write your settings to `configs/stage2.yaml`.\n"},
        {"make.py": "yaml.dump(settings, open('configs/stage2.yaml', 'w'))\n"},
        {"prepare.sh": "cp configs/base.yaml configs/stage2.yaml\n"},
    ],
)
def test_a_file_that_may_be_elsewhere_or_made_first_leaves_it_loud(files):
    assert plain("--config configs/stage2.yaml", files)[0] == "error"


def absent(path, files):
    """What is told of the launches of a tree, of which one names the path."""
    train = PLAIN.format(imports=IMPORTS, body=BODY)
    run = f"torchrun --nproc_per_node 8 src/train.py --config {path}\n"
    project = build_project(text_tree({**CONFIGS, "src/train.py": train, "run.sh": run, **files}))
    return [told.fact for c in project.contexts if (told := unread(project, c))]


@pytest.mark.parametrize(
    ("before", "word"),
    [
        ("CONFIG=${CONFIG:-configs/stage2.yaml}", "$CONFIG"),
        ("CONFIG=${1-configs/stage2.yaml}", "$CONFIG"),
        ("DIR=${DIR:-./configs}", "$DIR/stage2.yaml"),
        ("STAGE=${STAGE:-stage2}", "configs/$STAGE.yaml"),
    ],
)
def test_a_default_of_the_script_that_the_user_may_replace_leaves_it_loud(before, word):
    run = f"{before}\ntorchrun --nproc_per_node 8 src/train.py --config {word}\n"
    assert plain("", {"run.sh": run})[0] == "error"


def test_a_variable_that_the_script_sets_does_not():
    run = "CONFIG=configs/stage2.yaml\ntorchrun --nproc_per_node 8 src/train.py --config $CONFIG\n"
    assert plain("", {"run.sh": run})[0] == "info"


def test_a_page_that_asks_for_a_configuration_of_ones_own_leaves_it_loud():
    launch = "```bash\ntorchrun --nproc_per_node 8 src/train.py --config configs/stage2.yaml\n```\n"
    page = {"README.md": f"You must create a configuration file.\n{launch}", "run.sh": ""}
    assert plain("", page)[0] == "error"
    assert plain("", {**page, "README.md": f"Then train.\n{launch}"})[0] == "info"


OTHER = {"other.sh": "torchrun --nproc_per_node 8 src/train.py --config configs/base.yaml\n"}


def test_a_file_whose_folder_is_not_there_is_a_note_where_other_launches_name_files_that_are():
    (told,) = absent("released/v0/stage2.yaml", OTHER)
    assert told == "whether released/v0/stage2.yaml, which the launch names, is there: the tree has none"


@pytest.mark.parametrize(
    "files",
    [
        {},
        {**OTHER, "released/v0/notes.txt": "soon\n"},
        {"other.sh": OTHER["other.sh"].replace("src/train.py", "src/eval.py"), "src/eval.py": ""},
        {"other.sh": OTHER["other.sh"].replace("base", "stage3")},
    ],
)
def test_without_those_it_leaves_it_loud(files):
    assert "released/v0/stage2.yaml" not in "".join(absent("released/v0/stage2.yaml", files))


def test_a_program_that_the_launch_takes_from_elsewhere_leaves_it_loud():
    assert plain("--config configs/stage2.yaml", launch="$HOME/work/src/train.py")[0] == "error"
