"""Programs that hand over to a test runner: `if __name__ == "__main__": unittest.main()`. What they run is no
training run, whatever it builds and steps."""

from __future__ import annotations

from mmcodemod.facts.outline import MAIN
from mmcodemod.facts.python import FileFacts
from mmcodemod.facts.terms import Attribute, Name, Term, plain_name

_RUNNERS = frozenset(("unittest", "pytest", "absltest", "googletest", "xmlrunner", "nose"))
_OF_TENSORFLOW = "test"  # `tf.test.main()`
_RUNS = "run_tests"  # of torch.testing._internal.common_utils


def runs_tests(file: FileFacts) -> bool:
    """Does the main guard of a file call a test runner?"""
    main = file.functions.get(MAIN)
    return main is not None and any(_is_runner(call.func, file) for call in main.body.calls)


def _is_runner(func: Term, file: FileFacts) -> bool:
    if isinstance(func, Name):
        return any(_brings(item.module, item.name or "") for item in file.imported(func.id))
    if not isinstance(func, Attribute) or func.attr != "main":
        return False
    owner = func.value
    return plain_name(owner) in _RUNNERS or (isinstance(owner, Attribute) and owner.attr == _OF_TENSORFLOW)


def _brings(module: str, name: str) -> bool:
    """Is a name of a module that of a test runner: `from unittest import main`?"""
    return name == _RUNS or (name == "main" and module.rpartition(".")[2] in _RUNNERS)
