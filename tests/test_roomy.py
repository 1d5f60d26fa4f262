"""Inside `roomy` no depth of the stack is one at which calls map memory."""

from __future__ import annotations

import sys

import pytest

from mmcodemod.engine.roomy import roomy

resource = pytest.importorskip("resource")
DEPTHS, CALLS = 400, 300  # the first reach over more than one chunk of 16 KB


def _called() -> None:
    pass


def _faults(depth: int) -> int:
    """The most page faults of CALLS calls, at any depth from here to `depth` below."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(CALLS):
        _called()
    here: int = resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before
    return max(here, _faults(depth - 1)) if depth else here


@pytest.mark.skipif(sys.platform != "linux", reason="what is counted is Linux's")
def test_no_depth_maps_memory_with_every_call() -> None:
    _faults(DEPTHS)  # what is touched for the first time
    assert roomy(lambda: _faults(DEPTHS)) < CALLS / 3


@pytest.mark.skipif(sys.platform != "linux" or sys.version_info < (3, 11), reason="frames are elsewhere")
def test_without_it_some_depth_does() -> None:
    assert _faults(DEPTHS) >= CALLS


def test_it_hands_on_what_is_returned_and_raised() -> None:
    assert roomy(lambda: 5) == 5
    with pytest.raises(ZeroDivisionError):
        roomy(lambda: 1 // 0)
