"""Compares the totals of score_labels.py (JSON on stdin) with the committed ones (a file)."""

import json
import sys

COUNTS = ("core.found", "core.silent", "core.explained")


def main() -> int:
    with open(sys.argv[1], encoding="utf-8") as file:
        committed = json.load(file)
    score = json.load(sys.stdin)
    wrong = [
        f"{name} fell from {committed[name]} to {score.get(name, 0)}"
        for name in COUNTS
        if score.get(name, 0) < committed[name]
    ]
    if score.get("noisy", 0):
        wrong.append(f"{score['noisy']} noisy trees")
    if score.get("skipped", 0):
        wrong.append(f"{score['skipped']} labels skipped: a wheel is missing")
    for line in wrong:
        print(f"FAILED: {line}", file=sys.stderr)
    better = {name: score[name] for name in COUNTS if score.get(name, 0) > committed[name]}
    if better and not wrong:
        print(f"better than {sys.argv[1]}: raise it to {json.dumps({**committed, **better})}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
