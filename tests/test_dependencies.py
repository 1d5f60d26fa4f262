"""Requirements from every kind of file, and the comparison of versions."""

import pytest

from mmcodemod.facts.dependencies import dependencies, version_below
from mmcodemod.source.tree import text_tree

PYPROJECT = """[project]
name = "x"
dependencies = [
    "torch==2.1.2", "transformers[torch]>=4.37 ; python_version > '3.8'",  # pinned
]

[project.optional-dependencies]
train = ["deepspeed==0.12.6"]

[tool.other]
words = ["peft==9.9"]

[tool.poetry.dependencies]
python = "^3.10"
accelerate = {version = "^0.21", extras = ["a"]}
"""
SETUP = 'R = "x"\nsetup(install_requires=["torch>=1.13"],\n  extras_require={"ds": ["deepspeed<=0.14.4"]})\n'


def found(files):
    return {(n, d.spec, str(d.at)) for n, ds in dependencies(text_tree(files)).items() for d in ds}


def test_pyproject():
    assert found({"pyproject.toml": PYPROJECT}) == {
        ("torch", "==2.1.2", "pyproject.toml:4"),
        ("transformers", ">=4.37", "pyproject.toml:4"),
        ("deepspeed", "==0.12.6", "pyproject.toml:8"),
        ("accelerate", "^0.21", "pyproject.toml:15"),
    }


def test_requirements_files_in_any_folder():
    text = "# all\n-r base.txt\nDeepSpeed_X == 0.15.1  # why\ntorch\nmm @ git+https://h/x.git\n"
    assert found({"a/requirements-gpu.txt": text}) == {
        ("deepspeed-x", "==0.15.1", "a/requirements-gpu.txt:3"),
        ("torch", "", "a/requirements-gpu.txt:4"),
        ("mm", "@git+https://h/x.git", "a/requirements-gpu.txt:5"),
    }


def test_setup_py_is_read_without_running_it():
    assert found({"setup.py": SETUP}) == {
        ("torch", ">=1.13", "setup.py:2"),
        ("deepspeed", "<=0.14.4", "setup.py:3"),
    }
    assert found({"setup.py": "setup(install_requires=[" * 50}) == set()


def test_setup_cfg_and_wheel_metadata():
    cfg = "[options]\ninstall_requires =\n    torch>=2\n[flake8]\nignore =\n    peft\n"
    meta = "Name: x\nRequires-Dist: trl (<0.10,>=0.8) ; extra == 'rl'\n\nRequires-Dist: not this\n"
    assert found({"setup.cfg": cfg, "x-1.dist-info/METADATA": meta}) == {
        ("torch", ">=2", "setup.cfg:3"),
        ("trl", "<0.10,>=0.8", "x-1.dist-info/METADATA:2"),
    }


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("==0.12.6", True),
        ("<=0.14.4", True),
        ("<0.19.3", True),
        (">=0.10.0,<=0.14.4,!=0.12.*", True),
        ("^0.12.6", True),
        ("==0.18.*", True),
        ("==0.19.3rc1", True),
        ("==0.9", True),
        (">=0.19.3", False),
        ("==0.20", False),
        (">0.19.3", False),
        ("~=0.19.3", False),
        ("==1.0", False),
        (">=0.10", None),
        ("<=0.19.3", None),
        ("==0.19.*", None),
        ("", None),
        ("@ git+https://example.org/x", None),
        ("!=0.19.3", None),
        ("not a version", None),
    ],
)
def test_version_below(spec, expected):
    assert version_below(spec, "0.19.3") is expected


def test_several_specs_hold_together():
    assert version_below([">=0.10", "<0.15"], "0.19.3") is True
