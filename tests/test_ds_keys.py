"""tools/ds_keys.py reads keys and defaults from the files of a release; what it wrote is what rules read."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tools"))

import ds_defaults  # noqa: E402
import ds_keys  # noqa: E402

from mmcodemod.knowledge import deepspeed_gates  # noqa: E402
from mmcodemod.knowledge.deepspeed_defaults import DEFAULTS, SOURCES  # noqa: E402
from mmcodemod.knowledge.deepspeed_keys import KEYS, RELEASES  # noqa: E402

FILES = {
    "runtime/constants.py": """
GRADIENT_CLIPPING = "gradient_clipping"
GRADIENT_CLIPPING_DEFAULT = {clip}
FP16 = "fp16"
SCALE = "loss_scale"
SCALE_DEFAULT = -1
""",
    "runtime/config.py": """
def get_gradient_clipping(param_dict):
    return get_scalar_param(param_dict, GRADIENT_CLIPPING, GRADIENT_CLIPPING_DEFAULT)

def get_scale(param_dict):
    return get_scalar_param(param_dict[FP16], SCALE, SCALE_DEFAULT)

def get_other(param_dict):
    return get_scalar_param(param_dict, "other", make())
""",
    "runtime/zero/config.py": """
class Device(str, Enum):
    none = "none"

class DeepSpeedZeroConfig(DeepSpeedConfigModel):
    stage: int = 0
    bucket: int = Field(pp_int(5e8), ge=0)
    device: Device = Device.none
    gather: bool = Field(False, alias="stage3_gather")
    names: list = Field(default_factory=list)
""",
}


def _release(home: Path, clip: float) -> ds_keys.Release:
    for path, text in FILES.items():
        file = home / "deepspeed" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text.format(clip=clip), encoding="utf-8")
    return ds_keys.Release(home)


def test_defaults_of_readers_and_models(tmp_path: Path) -> None:
    found = {key: value for key, (value, _) in _release(tmp_path, 0.0).defaults.items()}
    zero = {name: value for (section, name), value in found.items() if section == "zero_optimization"}
    assert zero == {"stage": 0, "bucket": 5e8, "device": "none", "gather": False, "stage3_gather": False}
    assert found["", "gradient_clipping"] == 0.0
    assert found["fp16", "loss_scale"] == -1
    assert ("", "other") not in found


def test_a_change_has_the_release_that_brought_it(tmp_path: Path) -> None:
    old, new = _release(tmp_path / "old", 0.0).defaults, _release(tmp_path / "new", 1.0).defaults
    told: dict[str, object] = {}
    exec(ds_defaults.table({"1.0": old, "1.1": old, "2.0": new}), told)
    assert told["DEFAULTS"][""]["gradient_clipping"] == (("1.0", 0.0), ("2.0", 1.0))  # type: ignore[index]
    assert told["SOURCES"]["zero_optimization"] == "deepspeed/runtime/zero/config.py"  # type: ignore[index]


def test_every_row_is_of_the_recorded_releases() -> None:
    for rows in KEYS.values():
        assert {len(marks) for marks in rows.values()} == {len(RELEASES)}
    told = {release for rows in DEFAULTS.values() for changes in rows.values() for release, _ in changes}
    assert told <= set(RELEASES)
    assert set(DEFAULTS) <= set(SOURCES)


@pytest.mark.parametrize(
    ("gate", "release"),
    [
        (deepspeed_gates.CLIPS_BY_DEFAULT, "0.19.3"),  # deepspeedai/DeepSpeed#8068
        (deepspeed_gates.SUM_CHECKED, "0.19.6"),
    ],
)
def test_gates_that_are_read_from_the_defaults(gate: str, release: str) -> None:
    """A table that is written anew and has lost a neighbour would move them."""
    assert gate == release
    assert RELEASES.index(gate) > 0
