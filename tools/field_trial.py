"""The field trial: draws findings, joins the votes of two readers, and makes docs/field-trial.md.

python tools/field_trial.py draw --round 1 --seed 7 --trees trees.jsonl --sheets DIR [--count N]
python tools/field_trial.py join --round 1 --seed 7 --trees trees.jsonl --sheets DIR [--count N]
python tools/field_trial.py page

trees.jsonl names the trees on this machine, one object a line: repository, commit, kind (what it trains
with), tree (its folder) and report (a file with what `mmcodemod check --format json` said). `draw` refuses
trees that an earlier round had or that the page of a rule names (its author saw them), and writes
judge.md and blind.md into DIR, and judge.jsonl and blind.jsonl for the answers. `join`, with the same
options, puts the round into trees.jsonl and verdicts.jsonl of docs/field-trial, in place of what was there;
what "mended" says stays. docs/field-trial/foreseen.jsonl is written by hand, and so is "mended" in
verdicts.jsonl; then `page`.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tools"))

from fieldtrial import data, draw, fresh, page, sheets  # noqa: E402
from fieldtrial.data import DataError, Tree, Verdict  # noqa: E402


def main(arguments: list[str] | None = None) -> int:
    """0, or 2 when something that was given cannot be used."""
    options = _options().parse_args(arguments)
    try:
        if options.what == "draw":
            _draw(options)
        elif options.what == "join":
            _join(options)
        options.data.with_suffix(".md").write_text(page.text(data.read(options.data)), encoding="utf-8")
    except (DataError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Judge findings in public repositories.")
    parser.add_argument("what", choices=("draw", "join", "page"))
    parser.add_argument("--round", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0, help="decides the order, and what --count takes")
    parser.add_argument("--count", type=int, default=0, help="how many findings to judge  [default: all]")
    parser.add_argument("--alone", action="store_true", help="join a round that had no second reader")
    parser.add_argument("--trees", type=Path, metavar="FILE", default=Path("trees.jsonl"))
    parser.add_argument("--sheets", type=Path, metavar="DIR", default=Path("sheets"))
    parser.add_argument(
        "--data", type=Path, metavar="DIR", default=data.FOLDER, help="[default: %(default)s]"
    )
    return parser


def _draw(options: argparse.Namespace) -> None:
    checked = draw.manifest(options.trees)
    fresh.must_be_fresh(options.round, checked, data.rows(Tree, options.data / "trees.jsonl"))
    found = draw.drawn(options.round, checked, options.seed, options.count)
    sheets.write(options.sheets, found)
    print(f"{len(found)} findings to judge in {options.sheets}", file=sys.stderr)


def _join(options: argparse.Namespace) -> None:
    checked = draw.manifest(options.trees)
    found = draw.drawn(options.round, checked, options.seed, options.count)
    judge = sheets.votes(options.sheets / f"{sheets.JUDGE}.jsonl", found)
    second = {} if options.alone else sheets.votes(options.sheets / f"{sheets.BLIND}.jsonl", found)
    keep(
        options.data,
        draw.trees(options.round, checked),
        sheets.joined(options.round, found, judge, second),
        options.round,
    )


def keep(folder: Path, trees: list[Tree], verdicts: list[Verdict], number: int) -> None:
    """Put a round into the data, in place of what is there of it; what was mended stays."""
    files = folder / "trees.jsonl", folder / "verdicts.jsonl"
    old_trees, old = data.rows(Tree, files[0]), data.rows(Verdict, files[1])
    mended = {_key(v): v.mended for v in old}
    new = [replace(v, mended=mended.get(_key(v), v.mended)) for v in verdicts]
    data.write(files[0], [*(t for t in old_trees if t.round != number), *trees])
    data.write(files[1], [*(v for v in old if v.round != number), *new])


def _key(v: Verdict) -> tuple[int, str, str, str, int]:
    return v.round, v.repository, v.rule, v.file, v.line


if __name__ == "__main__":
    sys.exit(main())
