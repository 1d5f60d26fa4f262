"""Reports made by hand for the HTML page: an ordinary one, a hostile one and a very large one."""

from __future__ import annotations

from mmcodemod.model.context import Context, Dependency, Entry, Origin, Strategy
from mmcodemod.model.finding import Dismissal, Finding, Note, Problem, Step
from mmcodemod.model.fix import Edit, Fix
from mmcodemod.model.grade import Applicability, Confidence, How, Severity
from mmcodemod.model.option import Option
from mmcodemod.model.place import Place
from mmcodemod.model.report import Report, Stats
from mmcodemod.source.tree import text_tree

NAMES = {"MM201": "modality-conditional-forward", "MM303": "ds-gradient-clipping-absent"}
NAMES |= {"MM508": "peft-with-zero3-overkill", "MM103": "zero3-load-state-dict-ungathered"}
PAGES = {
    "MM303": """# MM303 ds-gradient-clipping-absent

Nothing **clips**.

## What it checks

- one `key`
- two
  lines

```diff
-old
+new
```

| call | what |
|---|---|
| `save` | <b>nothing</b> |
"""
}

ZERO3 = '{\n    "zero_optimization": {\n        "stage": 3\n    }\n}\n'
MODEL = """\
import torch


class Net(torch.nn.Module):
    def forward(self, images):
        if images is None:
            return 0
        return self.tower(
            images,
            deep=True,
        )
"""
FILES = {
    "ds/zero3.json": ZERO3,
    "net/model.py": MODEL,
    "train.py": "from net.model import Net\n\nNet().train()\n",
    "scripts/full.sh": "#!/bin/bash\ndeepspeed train.py \\\n    --deepspeed ds/zero3.json\n",
    "scripts/lora.sh": "deepspeed train.py --lora True --deepspeed ds/zero3.json\n",
    "scripts/small.sh": "torchrun train.py\n",
}
TREE = text_tree(FILES)


def run(path, strategy, line=1, **more):
    launcher = Place(path, line)
    return Context(str(launcher), Entry("train.py"), launcher, strategy, **more)


FULL = run(
    "scripts/full.sh",
    Strategy.ZERO3,
    2,
    command="deepspeed train.py --deepspeed ds/zero3.json",
    configs=("ds/zero3.json",),
    strategy_from=Option(3, Place("ds/zero3.json", 3)),
    dependencies={"deepspeed": Dependency("deepspeed", "==0.12.6")},
)
LORA = run("scripts/lora.sh", Strategy.ZERO3, command="deepspeed train.py --lora True")
SMALL = run("scripts/small.sh", Strategy.DDP, command="torchrun train.py")

HANGS = Finding(
    "MM201",
    Place("net/model.py", 8, 16, 11, 10),
    "Ranks without images skip `tower` while the others wait in its gather.",
    Severity.ERROR,
    Confidence.INFERRED,
    "Net.forward",
    (FULL.id, LORA.id),
    (
        Step(Place("scripts/full.sh", 2), "deepspeed train.py --deepspeed ds/zero3.json", how=How.LAUNCH),
        Step(Place("train.py", 3, 1, 3, 14), "Net().train() calls forward", how=How.FRAMEWORK),
        Step(Place("gone.py", 7), "a file that is not there any more", how=How.NAME_ONLY),
    ),
    (Note(Place("net/model.py", 6, 12, 6, 26), "the batch decides here"),),
    Fix("send a blank image through `tower`", Applicability.DISPLAY),
)
CLIPS = Finding(
    "MM303",
    Place("ds/zero3.json", 5, 1, 5, 2),
    "These runs train without gradient clipping.",
    Severity.WARNING,
    Confidence.EXACT,
    "",
    (FULL.id,),
    (Step(Place("scripts/full.sh", 2), "deepspeed train.py", how=How.LAUNCH),),
    (Note(Place("ds/zero3.json", 5, 1, 5, 2), 'no "gradient_clipping" in this object'),),
    Fix(
        'add "gradient_clipping": "auto"',
        Applicability.SAFE,
        (Edit("ds/zero3.json", (4, 6), (4, 6), ',\n    "gradient_clipping": "auto"'),),
    ),
)
LARGE = Finding(
    "MM508",
    Place("scripts/lora.sh", 1),
    "LoRA on ZeRO-3 gathers what could be kept whole.",
    Severity.INFO,
    contexts=(LORA.id,),
    fix=Fix("keep it whole", Applicability.UNSAFE, (Edit("scripts/lora.sh", (1, 1), (1, 10), "torchrun"),)),
)
ELSEWHERE = Finding(
    "MM303", Place("ds/other.json", 1), "Nothing launches this.", Severity.INFO, contexts=("ds/other.json",)
)
SAFE = Dismissal(
    "MM103",
    Place("train.py", 1, 1, 1, 26),
    "loaded before it is partitioned",
    (Note(Place("train.py", 3), "trained from here on"),),
    (SMALL.id,),
)
REPORT = Report(
    findings=(CLIPS, LARGE, HANGS, ELSEWHERE),
    dismissed=(SAFE,),
    problems=(Problem("b.py", "syntax", "invalid `syntax`", 3),),
    contexts=(FULL, LORA, SMALL),
    stats=Stats(3, 90, 1),
)

EVIL = "</script><img src=x onerror=alert(1)>\"'\u202e\x00\x1b[2J\n&amp;{{script}}\ud800"


def hostile():
    """A report all of whose texts come from somebody who wants to break out."""
    at = Place(EVIL, 1)
    finding = Finding(
        "MM201",
        at,
        EVIL,
        Severity.ERROR,
        symbol=EVIL,
        contexts=(EVIL, "library"),
        trace=(Step(at, EVIL, EVIL),),
        related=(Note(at, EVIL), Note(Place("b.py", 1), EVIL)),
        fix=Fix(EVIL, Applicability.SAFE, (Edit("b.py", (1, 1), (1, 1), EVIL.replace("\ud800", "")),)),
    )
    evil = Context(EVIL, Entry(EVIL, EVIL), at, Strategy.ZERO3, command=EVIL, configs=(EVIL,), notes=(EVIL,))
    library = Context("library", None, None, Strategy.UNKNOWN, Origin.LIBRARY)
    report = Report(
        (finding,),
        (Dismissal("MM201", at, EVIL, (Note(at, EVIL),), (EVIL,)),),
        (Problem(EVIL, EVIL, EVIL),),
        (evil, library),
    )
    files = {"b.py": EVIL.encode("utf-8", "replace")}
    return report, files, {"MM201": EVIL}, {"MM201": f"# {EVIL}\n\n{EVIL}\n- {EVIL}\n```\n{EVIL}\n"}


def large(findings=10_000, runs=600):
    """Many findings in many runs."""
    strategies = (Strategy.ZERO2, Strategy.ZERO3, Strategy.DDP)
    contexts = tuple(run(f"scripts/run{n:03}.sh", strategies[n % 3]) for n in range(runs))
    made = []
    for n in range(findings):
        met = tuple(c.id for at, c in enumerate(contexts) if at % (2 + n % 17) == 0)
        severity = list(Severity)[n % 3]
        trace = (Step(Place("scripts/full.sh", 2), "the launch"), Step(Place("train.py", 3), "the call"))
        at = Place("net/model.py", 8, 16, 11, 10)
        made.append(
            Finding(
                f"MM{101 + n % 40}", at, f"Finding {n}.", severity, contexts=met, trace=trace, anchor=f"{n}"
            )
        )
    return Report(tuple(made), contexts=contexts, stats=Stats(1, 1, 1))
