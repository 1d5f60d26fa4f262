"""Which connection of weight zero holds where one of two ranks has no picture? See docs/decisions/0013.

python tools/experiments/zero_weight.py                                 in environments that it builds
python tools/experiments/zero_weight.py --python base=PATH --only base zero3    one that is there
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from proving.environments import Environments
from proving.running import Outcome, free_port, run

ENGINES = (("base", "zero3"), ("deepspeed-0.16.9", "zero3"), ("deepspeed-0.14.4", "zero3"), ("base", "ddp"))
FORMS = ("0.0 * h.sum()", "h[:0].sum()", "cat([text, h[:0]])")
NOTHING = "nothing"  # the control: without a connection it must fail, or the toy shows nothing
# Of the features on the rank without a picture: as they come; in half precision, finite, with a sum above
# 65504; infinite in the last layer; infinite in a layer before a norm, which makes NaN of them.
FEATURES = ("finite", "half", "infinite", "nan")
LIMIT = 90  # seconds; the process group gives up after 20
COMPILE = 240  # seconds more for the first run of an environment
TOLD = re.compile(r"^(?:\[rank\d\]: *)?((?:\w+\.)*\w*(?:Error|Exception): .+)$", re.M)


def main() -> int:
    """Run all, one after the other, and print the rows of the table."""
    options = _options().parse_args()
    given = dict(text.split("=", 1) for text in options.python)
    known = Environments(options.env_dir, {name: Path(path).absolute() for name, path in given.items()})
    print("| environment | engine | connection | features | what was seen |\n|---|---|---|---|---|")
    for environment, engine in ENGINES:
        if options.only and [environment, engine] != options.only:
            continue
        for form, features in ((NOTHING, "finite"), *itertools.product(FORMS, FEATURES)):
            seen = _seen(_one(known, environment, engine, form, features))
            print(f"| {environment} | {engine} | `{form}` | {features} | {seen} |", flush=True)
    return 0


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Try connections of weight zero on two CPU ranks.")
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    parser.add_argument("--env-dir", type=Path, default=home / "mmcodemod" / "proofs", metavar="DIR")
    parser.add_argument("--python", action="append", default=[], metavar="NAME=PATH")
    parser.add_argument("--only", nargs=2, metavar=("ENVIRONMENT", "ENGINE"))
    return parser


def _one(known: Environments, environment: str, engine: str, form: str, features: str) -> Outcome:
    work = known.folder / "work" / "zero_weight"
    work.mkdir(parents=True, exist_ok=True)
    variables = known.variables(environment, work)
    fresh = not any(known.extensions(environment).iterdir())
    asked = " ".join(f"'{each}'" for each in (engine, form, features))
    toy = Path(__file__).with_name("zero_weight_toy.py")
    command = f"python -m torch.distributed.run --nproc_per_node 2 --master_port {free_port()} {toy} {asked}"
    outcome = run(command, work, variables, LIMIT + (COMPILE if fresh else 0), work / "log")
    if outcome.timed_out:
        known.clear_extensions(environment)
    return outcome


def _seen(outcome: Outcome) -> str:
    """What the two ranks told of a run that came to its end, else the error, or that none was told."""
    ranks = [json.loads(line[4:]) for line in outcome.text.splitlines() if line.startswith("toy ")]
    if outcome.code or len(ranks) != 2:
        told = TOLD.search(outcome.text)
        return f"fails: `{told[1][:110]}`" if told else f"fails without a word, exit code {outcome.code}"
    return "; ".join(_judged(ranks))


def _judged(ranks: list[dict[str, object]]) -> Iterator[str]:
    losses: Callable[[str], list[object]] = lambda key: [rank[key] for rank in ranks]  # noqa: E731
    if not all(losses("finite")):
        yield "loss NaN"
    elif not all(losses("sound")):
        yield "losses finite, **weights NaN**"
    elif all(losses("fell")) and all(losses("moved")):
        yield "trains"
    elif not any(losses("moved")):
        yield "losses finite, the weights stay: every step is skipped"
    else:
        yield f"fell {losses('fell')}, moved {losses('moved')}"


if __name__ == "__main__":
    sys.exit(main())
