"""MM310: its fix is safe, and says what it costs."""

from __future__ import annotations

from mmcodemod import pipeline
from mmcodemod.model.grade import Applicability
from mmcodemod.source.tree import text_tree

FILES = {
    "train.py": "from transformers import Trainer\n\nTrainer(model=build(), args=arguments()).train()\n",
    "ds.json": '{"zero_optimization": {"stage": 2, "overlap_comm": true}, "gradient_clipping": "auto"}',
    "run.sh": "deepspeed train.py --deepspeed ds.json\n",
    "requirements.txt": "deepspeed==0.12.6\n",
}


def test_the_fix_says_that_it_costs_speed() -> None:
    (found,) = (f for f in pipeline.check(text_tree(FILES)).findings if f.rule == "MM310")
    assert found.fix is not None and found.fix.applicability is Applicability.SAFE
    assert found.fix.title == 'set "overlap_comm": false (costs some speed)'
