"""MM104: which other lines a finding names: the flag that decides, the load on the other side of a test."""

from __future__ import annotations

from mmcodemod import pipeline
from mmcodemod.model.finding import Finding
from mmcodemod.source.tree import text_tree

HEAD = """from dataclasses import dataclass

import transformers
from transformers import AutoModel, HfArgumentParser, Trainer


@dataclass
class Arguments(transformers.TrainingArguments):
    bits: int = 16


def train():
    (args,) = HfArgumentParser(Arguments).parse_args_into_dataclasses()
"""
TAIL = """    Trainer(model=model, args=args).train()


if __name__ == "__main__":
    train()
"""


def found(body: str) -> list[Finding]:
    files = {
        "train.py": HEAD + body + TAIL,
        "ds.json": '{"zero_optimization": {"stage": 3}, "gradient_clipping": "auto"}',
        "run.sh": "deepspeed train.py \\\n  --bits 4 \\\n  --output_dir $OUT --deepspeed ds.json\n",
    }
    return [f for f in pipeline.check(text_tree(files)).findings if f.rule == "MM104"]


def related(finding: Finding) -> set[str]:
    return {f"{note.at}: {note.note}" for note in finding.related}


def test_the_flag_that_decides_is_named() -> None:
    spread = "    more = {}\n    if args.bits in [4, 8]:\n        more.update(dict(device_map={'': 0}))\n"
    (one,) = found(spread + "    model = AutoModel.from_pretrained('org/base', **more)\n")
    assert "run.sh:2: --bits is 4" in related(one)
    asked = "    place = None\n    if args.bits == 4:\n        place = 'auto'\n"
    (one,) = found(asked + "    model = AutoModel.from_pretrained('org/base', device_map=place)\n")
    assert "run.sh:2: --bits is 4" in related(one)


def test_the_load_on_the_other_side_is_named() -> None:
    load = "        model = AutoModel.from_pretrained('org/base', device_map='cpu')\n"
    (one,) = found(f"    if 'vision' in args.output_dir:\n{load}    else:\n{load}")
    assert (one.at.line, one.fix is not None and len(one.fix.edits)) == (15, 2)  # both values
    assert "train.py:17: the run ends here as well, on the other side of the test" in related(one)
