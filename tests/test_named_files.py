"""Which files do texts of the tree name?"""

import pytest

from mmcodemod.project.named_files import named_files
from mmcodemod.source.tree import text_tree

PATH = "pkg/tools/train+x.py"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("README.md", "3. train with `train+x.py`"),
        ("README.md", "see [the code](https://host/o/r/blob/main/pkg/tools/train+x.py)."),
        ("pkg/README.md", "python tools/train+x.py --lr 1"),
        ("pkg/scripts/run.sh", "python ../tools/train+x.py"),
        ("other/run.sh", "python ${ROOT}/pkg/tools/train+x.py"),
        ("other/start.py", "run(['python', 'pkg/tools/train+x.py'])"),
        ("job.yaml", "command: [python, tools/train+x.py]"),
        ("README.md", "python -m pkg.tools.train+x"),
        ("pkg/setup.py", "entry_points = ['x = tools.train+x:main']"),
        ("pkg/cli.py", "MODES = {'train': 'pkg.tools.train+x'}"),
        ("pyproject.toml", "[project.scripts]\ntrain = 'pkg.tools.train+x:main'\n"),
    ],
)
def test_a_text_names_it(text, says):
    assert named_files(text_tree({PATH: "", text: says}), [PATH]) == {PATH}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("README.md", "python old/tools/train+x.py"),
        ("README.md", "from https://host/o/r/blob/main/old/train+x.py"),
        ("other/README.md", "python train+x.py"),
        ("README.md", "python pretrain+x.py, train+x.pyc, train+x.python"),
        ("data.json", '["pkg/tools/train+x.py"]'),
        ("other/use.py", "import pkg.tools.train"),
        ("README.md", "python -m pkg.tools.train+x.more"),
    ],
)
def test_no_text_names_it(text, says):
    assert named_files(text_tree({PATH: "", text: says}), [PATH]) == frozenset()


def test_a_word_is_no_module():
    files = {"train.py": "", "data.py": "load(split='train')\n", "job.yaml": "train:x\n"}
    assert named_files(text_tree(files), ["train.py"]) == frozenset()


def test_a_long_text_of_names_alone_is_read_once():
    files = {PATH: "", "README.md": "/train+x.py" * 100_000}
    assert named_files(text_tree(files), [PATH]) == frozenset()


def test_what_follows_a_name_is_a_path_of_its_own():
    files = {PATH: "", "README.md": "old/train+x.py/train+x.py train+x.py"}
    assert named_files(text_tree(files), [PATH]) == {PATH}


def test_its_own_file_is_handed_on():
    files = {"pkg/tools/train.py": "", "pkg/tools/test.py": "", "pkg/cli.py": "run(tools.train.__file__)\n"}
    assert named_files(text_tree(files), ["pkg/tools/train.py", "pkg/tools/test.py"]) == {
        "pkg/tools/train.py"
    }


def test_src_is_no_package_and_a_package_runs_its_main():
    files = {"src/a/train.py": "", "src/b/__main__.py": "", "README.md": "python -m a.train; python -m b"}
    assert named_files(text_tree(files), ["src/a/train.py", "src/b/__main__.py"]) == {
        "src/a/train.py",
        "src/b/__main__.py",
    }


def test_usage_in_the_file_itself_names_nobody():
    files = {
        "tools/train.py": '"""python tools/train.py"""\n',
        "tools/test.py": "",
        "README.md": "tools/test.py",
    }
    assert named_files(text_tree(files), ["tools/train.py", "tools/test.py"]) == {"tools/test.py"}


def test_a_path_that_is_there_means_no_other():
    files = {"a/tools/train.py": "", "b/tools/train.py": "", "a/README.md": "python tools/train.py"}
    assert named_files(text_tree(files), ["a/tools/train.py", "b/tools/train.py"]) == {"a/tools/train.py"}


def test_a_name_that_several_files_have_needs_the_folder():
    says = "each task has a train.py; cd tasks/b && python train.py"
    files = {"tasks/a/train.py": "", "tasks/b/train.py": "", "README.md": says}
    assert named_files(text_tree(files), ["tasks/a/train.py", "tasks/b/train.py"]) == {"tasks/b/train.py"}
