"""Lets DeepSpeed and Transformers judge the rules on DeepSpeed configurations, and writes docs/judged.md.

python tools/judge.py                                     asks every environment (builds them first)
python tools/judge.py --python base=/path/to/python       with an interpreter that is there
python tools/judge.py --table                             only the table, from the answers that are kept
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tools"))

from judging import answers, table  # noqa: E402
from judging.case import Case  # noqa: E402
from judging.generate import cases, digest  # noqa: E402
from proving.environments import EnvironmentFault, Environments  # noqa: E402

ENVIRONMENTS = ("base", "judge-0.16.9", "judge-0.14.4")  # tools/proving/environments.py
SEED, COUNT = 8, 200


def main(arguments: list[str] | None = None) -> int:
    """0 when every disagreement has a reason, 1 when one has none, 2 when an environment could not be
    used."""
    options = _options().parse_args(arguments)
    found = cases(SEED, COUNT)
    print(f"seed {SEED}: {COUNT} configurations, digest {digest(found)}", file=sys.stderr)
    if not options.table:
        given = {name: Path(path).absolute() for name, _, path in (g.partition("=") for g in options.python)}
        try:
            _ask(found, Environments(options.env_dir, given))
        except EnvironmentFault as error:
            print(error, file=sys.stderr)
            return 2
    text = table.text(SEED, found, table.judged(found, answers.kept(), table.checked))
    (ROOT / "docs" / "judged.md").write_text(text, encoding="utf-8")
    return 1 if table.UNEXPLAINED in text else 0


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Let DeepSpeed judge the rules on its configurations.")
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    parser.add_argument("--env-dir", type=Path, default=home / "mmcodemod" / "proofs", metavar="DIR")
    parser.add_argument("--python", action="append", default=[], metavar="NAME=PATH", help="an interpreter")
    parser.add_argument("--table", action="store_true", help="ask nobody: use the answers that are kept")
    return parser


def _ask(found: list[Case], known: Environments) -> None:
    for name in ENVIRONMENTS:
        print(f"asking {name}", file=sys.stderr)
        answers.keep(name, answers.ask(name, known, found, known.folder / "work" / "judge" / name))


if __name__ == "__main__":
    sys.exit(main())
