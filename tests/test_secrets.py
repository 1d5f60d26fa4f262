"""Keys and passwords of launch commands do not get into reports."""

import json

import pytest

from mmcodemod import pipeline
from mmcodemod.model.secrets import is_secret, masked
from mmcodemod.report import contexts
from mmcodemod.source.tree import text_tree

KEY = "4f" * 20
FILES = {
    "train.py": "from transformers import Trainer\n\nTrainer(model=build(), args=args).train()\n",
    "run.sh": f"WANDB_API_KEY={KEY} MASTER_PORT=29501 torchrun --nproc_per_node 2 train.py "
    f"--hub_token {KEY} --api-key={KEY} --image_token '<image>' --deepspeed ds.json\n",
    "ds.json": '{"zero_optimization": {"stage": 2, "overlap_comm": true}}\n',
    "requirements.txt": "deepspeed==0.12.6\n",
}


@pytest.mark.parametrize(
    "name", ["env.HF_TOKEN", "env.AWS_SECRET_ACCESS_KEY", "hub_token", "api_key", "db.password"]
)
def test_what_is_secret(name: str) -> None:
    assert is_secret(name)


@pytest.mark.parametrize(
    "name", ["image_token", "key", "token", "env.MASTER_PORT", "mm_use_im_start_end", "tokens"]
)
def test_what_is_not(name: str) -> None:
    assert not is_secret(name)


def test_a_flag_without_a_value_hides_no_other_flag() -> None:
    words = ["--hub_token", "--bf16", "True", "--hub_token", "abc", "out"]
    assert list(masked(words)) == ["--hub_token", "--bf16", "True", "--hub_token", "***", "out"]


def test_an_override_of_a_configuration_is_hidden() -> None:
    words = ["++log.api_key=abc", "db.password=abc", "data.image_token=<image>", "--hub_token", "a.token=b"]
    shown = ["++log.api_key=***", "db.password=***", "data.image_token=<image>", "--hub_token", "***"]
    assert list(masked(words)) == shown


@pytest.mark.parametrize("shown", [contexts.render, contexts.render_json])
def test_contexts_hide_them(shown) -> None:  # type: ignore[no-untyped-def]
    text = shown(pipeline.check(text_tree(FILES)))
    assert KEY not in text
    assert "29501" in text and "<image>" in text and "***" in text


def test_the_trace_of_a_finding_hides_them() -> None:
    report = pipeline.check(text_tree(FILES))
    notes = json.dumps([step.note for finding in report.findings for step in finding.trace])
    assert report.findings and "WANDB_API_KEY=***" in notes and KEY not in notes
