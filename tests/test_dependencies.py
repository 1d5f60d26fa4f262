"""Requirements from every kind of file."""

import time

import pytest

from mmcodemod.facts.setup_py import setup_py
from mmcodemod.facts.versions import version_below
from mmcodemod.project.requirements import requirements
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
    return {
        (n, s.found.spec, str(s.at)) for n, every in requirements(text_tree(files)).items() for s in every
    }


def of(path, text):
    """Name, specifier, line and source of what one file states."""
    every = [s.found for stands in requirements(text_tree({path: text})).values() for s in stands]
    return sorted((r.name, r.spec, r.line, r.source.value) for r in every)


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


def test_setup_py_that_looks_names_up_in_a_table():
    setup = """
_deps = [
    "deepspeed==0.15.4",
    "peft>=0.4",
    "black>=24",
    "unused==1.0",
]
deps = {b: a for a, b in (split(x) for x in _deps)}
def deps_list(*names):
    return [deps[name] for name in names]
extras = {}
extras["quality"] = deps_list("black", "peft")
install_requires = [deps["deepspeed"], deps["peft"]]
setup(install_requires=install_requires, extras_require=extras)
"""
    at = "setup.py:{}".format
    assert found({"setup.py": setup}) == {
        ("deepspeed", "==0.15.4", at(3)),
        ("peft", ">=0.4", at(4)),
        ("black", ">=24", at(5)),
    }
    optional = {r.name: r.conditional for r in setup_py(setup)}
    assert optional == {"deepspeed": False, "peft": False, "black": True}


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


UV_LOCK = """version = 1
requires-python = ">=3.10"

[[package]]
name = "deepspeed"
version = "0.14.2"
source = { registry = "https://pypi.org/simple" }
dependencies = [
    { name = "torch", version = "9.9", marker = "x" },
]

[[package]]
name = "transformers"
version = "4.52.0.dev0"
source = { git = "https://h/transformers.git#abc" }

[package.metadata]
requires-dist = [{ name = "torch", specifier = ">=2" }]
name = "no"
"""
POETRY_LOCK = """[[package]]
name = "torch"
version = "2.1.2+cu121"
description = "x"

[package.dependencies]
version = "7"

[[package]]
name = "trl"
version = "0.9.6"

[package.source]
type = "git"
url = "https://h/trl.git"

[metadata]
name = "peft"
version = "1"
"""
PIPFILE_LOCK = """{
    "_meta": {"hash": {"sha256": "x"}},
    "default": {
        "peft": {
            "hashes": [
                "sha256:1"
            ],
            "version": "==0.10.0"
        }
    }
}
"""


def test_lock_files():
    assert of("uv.lock", UV_LOCK) == [
        ("deepspeed", "==0.14.2", 6, "lock"),
        ("transformers", "@git", 14, "lock"),
    ]
    assert of("a/poetry.lock", POETRY_LOCK) == [
        ("torch", "==2.1.2+cu121", 3, "lock"),
        ("trl", "@git", 11, "lock"),
    ]
    assert of("pdm.lock", '[[package]]\nname = "trl"\nversion = "1.0"\ngit = "https://h/x"\n') == [
        ("trl", "@git", 3, "lock")
    ]
    assert of("Pipfile.lock", PIPFILE_LOCK) == [("peft", "==0.10.0", 8, "lock")]
    assert of("other.lock", UV_LOCK) == []


def test_pipfile():
    text = '[[source]]\nname = "pypi"\n[packages]\ntorch = "==2.1"\npeft = "*"\n'
    text += 'trl = {git = "https://h/trl", ref = "v1"}\n[dev-packages]\naccelerate = {version = ">=0.30"}\n'
    assert of("Pipfile", text) == [
        ("accelerate", ">=0.30", 8, "requirement"),
        ("peft", "", 5, "requirement"),
        ("torch", "==2.1", 4, "requirement"),
        ("trl", "@git", 6, "requirement"),
    ]


def test_what_pip_tools_writes_is_a_lock():
    text = "# autogenerated by pip-compile\n-i https://h\ntorch==2.1.2 \\\n    --hash=sha256:0 \\\n"
    text += "    --hash=sha256:1\n    # via x\npeft>=0.1\ntrl==0.9 --hash=sha256:2\n"
    assert of("requirements.txt", text) == [
        ("peft", ">=0.1", 7, "requirement"),
        ("torch", "==2.1.2", 3, "lock"),
        ("trl", "==0.9", 8, "lock"),
    ]


def test_included_requirements_speak_for_the_folder_that_includes_them():
    files = {
        "train/requirements.txt": "-r ../shared/base.txt\n--requirement=../shared/base.txt # again\n",
        "shared/base.txt": "-c limits.txt\n-r base.txt\n-r ../../outside.txt\n-r /etc/x.txt\npeft==0.10\n",
        "shared/limits.txt": "torch==2.1\n-r ../train/requirements.txt\n",
        "shared/unused.txt": "trl==1.0\n",
    }
    every = requirements(text_tree(files))
    assert {name: [(str(s.at), s.folder) for s in stands] for name, stands in every.items()} == {
        "peft": [("shared/base.txt:5", "train")],
        "torch": [("shared/limits.txt:1", "train")],
    }


CONDA = """name: env
channels:
  - pytorch
dependencies:
  - python=3.10
  - pytorch::pytorch=2.1.2
  - deepspeed = 0.14
  - "peft>=0.10,<0.12"  # range
  - accelerate 0.30.1 py310_0
  - trl=0.9|0.10
  - pip
  - pip:
    - transformers[torch]==4.40.0
    - -r more.txt
  - datasets=2.*
variables:
  - torch=1.0
"""


def test_conda_environment():
    rows = [(name, spec, line) for name, spec, line, _ in of("environment.yml", CONDA)]
    assert rows == [
        ("accelerate", "==0.30.1", 9),
        ("datasets", "==2.*", 15),
        ("deepspeed", "==0.14.*", 7),
        ("peft", ">=0.10,<0.12", 8),
        ("pip", "", 11),
        ("python", "==3.10.*", 5),
        ("torch", "==2.1.2", 6),
        ("transformers", "==4.40.0", 13),
        ("trl", "", 10),
    ]


DOCKERFILE = """# RUN pip install trl==0.1
ARG BASE=python:3.10
FROM ${BASE} AS build
ARG DS=0.14.2
ENV PEFT 0.10.0
ENV A=1 ACC=0.30.0
RUN --mount=type=cache,target=/root/.cache \\
    --network=host \\
    apt-get install -y git && \\
    # torch first

    pip3 install --no-cache-dir "torch==2.1.2" \\
      --index-url https://h/whl 'transformers[torch]>=4.37,<5' && rm -rf x
RUN if [ "$A" = 1 ]; then python3 -m pip install deepspeed==${DS} peft==$PEFT accelerate==${ACC}; fi
RUN ["pip", "install", "trl==0.9.6"]
RUN pip install -e . -r requirements.txt datasets==$UNKNOWN git+https://h/o/flash.git@v2 ./x.whl
RUN <<EOF
uv pip install --python 3.10 --system timm==1.0.3
EOF
COPY pip install no==1 /
CMD pip install no==2
RUN echo pip install no==3 && pip download no==4 && pip uninstall no==5
"""


@pytest.mark.parametrize(
    "path", ["Dockerfile", "docker/Dockerfile", "gpu.dockerfile", "Dockerfile.gpu", "Containerfile"]
)
def test_dockerfile(path):
    assert of(path, DOCKERFILE) == [
        ("accelerate", "==0.30.0", 14, "install"),
        ("datasets", "", 16, "install"),
        ("deepspeed", "==0.14.2", 14, "install"),
        ("flash", "@git+https://h/o/flash.git@v2", 16, "install"),
        ("peft", "==0.10.0", 14, "install"),
        ("timm", "==1.0.3", 18, "install"),
        ("torch", "==2.1.2", 12, "install"),
        ("transformers", ">=4.37,<5", 13, "install"),
        ("trl", "==0.9.6", 15, "install"),
    ]


SCRIPT = """set -e
V=0.14.2
sudo -H pip install -U deepspeed==$V && conda install -y -c nvidia pytorch=2.1.2 cuda
conda run -n train pip install "transformers==4.40.0; python_version > '3.8'"
pip install peft>=0.10   # the shell takes >=0.10 for a file
pip --no-cache-dir install trl==$1 "accelerate ~= 0.30"
echo "pip install no==1"
apt install no==2; cargo install no==3
"""


def test_install_commands_of_scripts_and_readmes():
    expected = [
        ("accelerate", "~=0.30", 6),
        ("cuda", "", 3),
        ("deepspeed", "==0.14.2", 3),
        ("peft", "", 5),
        ("torch", "==2.1.2", 3),
        ("transformers", "==4.40.0", 4),
        ("trl", "", 6),
    ]
    assert of("scripts/install.sh", SCRIPT) == [(*row, "install") for row in expected]
    readme = f"pip install no==0\n```bash\n{SCRIPT}```\n```python\npip install no==9\n```\n"
    assert of("README.md", readme) == [(n, s, line + 2, "readme") for n, s, line in expected]
    assert of("docs/notes.md", readme) == of("README.md", readme)
    assert of("docs/changelog.md", readme) == []


HOSTILE = (
    "[" * 400_000,
    "[ " * 200_000,
    " #" * 200_000,
    "'#" * 200_000,
    "pip install " + "git+https://h/" * 30_000,
    "pip install " + "a[" * 100_000,
    "pip " * 100_000,
    "```\npip install a\n```\n" * 20_000,
    "RUN pip install a==1 && \\\n" * 15_000,
    "RUN " + "--a=" * 100_000,
    "RUN \\\n" * 50_000,
    "torch" + " " * 400_000 + "==1",
    "torch==" + "1." * 200_000,
    "- pip:\n" * 50_000,
    "dependencies:\n" + "- a=b=c|\n" * 50_000,
    "name = '" + "x" * 400_000,
    '[[package]]\nname = "a"\nversion = "1"\n' * 10_000,
    "-r requirements.txt\n" * 20_000,
)


@pytest.mark.parametrize(
    "path", ["pyproject.toml", "Pipfile", "setup.cfg", "uv.lock", "Pipfile.lock", "requirements.txt",
             "environment.yml", "Dockerfile", "a.sh", "README.md", "x.dist-info/METADATA", "setup.py"]
)  # fmt: skip
def test_hostile_text_takes_no_time(path):
    for text in HOSTILE:
        begun = time.process_time()
        requirements(text_tree({path: text}))
        assert time.process_time() - begun < 10, text[:20]
