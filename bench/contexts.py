"""What many contexts cost: CPU time of a check of a tree with all its launches, against the same with one.

    python bench/contexts.py [NAME=]FOLDER... [--repeat N] [--launches N]

The tree is read into memory. "One" leaves a single launch (the one in the middle) and takes the other
scripts, makefiles and Markdown files away; "many" has all of them. With `--launches N`, "many" is a script of
N launches: the commands of the tree over and over, each with an `--output_dir` and a `--seed` of its own.
Exits with 1 when many cost more than BOUND times one.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
BOUND = 1.3

RUN = """
import json, sys, time
sys.path.insert(0, sys.argv[1])
from mmcodemod import pipeline
from mmcodemod.project.contexts import launch_contexts
from mmcodemod.project.launch_files import is_launch_file
from mmcodemod.source.discover import discover
from mmcodemod.source.tree import MemoryTree
folder, mode, wanted = sys.argv[2], sys.argv[3], int(sys.argv[4])
tree = discover([folder]).tree
launched = [c for c in launch_contexts(tree, []) if c.launcher]
files = {p: tree.read_bytes(p) for p in tree.paths}
if mode == "one" or wanted:
    files = {p: d for p, d in files.items() if not is_launch_file(p) and not p.endswith((".md", ".markdown"))}
    launched = launched[len(launched) // 2 :][:1] if mode == "one" else launched
    many = 1 if mode == "one" else wanted
    lines = [launched[n % len(launched)].command.replace(chr(10), " ") for n in range(many)]
    script = "".join(f"{line} --output_dir out{n} --seed {n}" + chr(10) for n, line in enumerate(lines))
    files["bench_launches.sh"] = script.encode("utf-8", "surrogatepass")
begun = time.process_time()
report = pipeline.check(MemoryTree(files), pipeline.Settings(jobs=1))
launches = sum(c.launcher is not None for c in report.contexts)
print(json.dumps([time.process_time() - begun, launches, len(report.contexts)]))
"""


def measured(folder: str, mode: str, launches: int, repeat: int) -> tuple[float, str]:
    """The median of CPU seconds, and how many contexts there were."""
    command = [sys.executable, "-c", RUN, str(ROOT / "src"), folder, mode, str(launches)]
    seconds, told = [], ""
    for _ in range(repeat):
        result = subprocess.run(command, capture_output=True, text=True, check=True)
        taken, launched, contexts = json.loads(result.stdout)
        seconds.append(taken)
        told = f"{launched} launches, {contexts} contexts"
    return statistics.median(seconds), told


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("trees", nargs="+", metavar="[NAME=]FOLDER")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--launches", type=int, default=0)
    options = parser.parse_args()
    worst = 0.0
    print("| tree | one | many | ratio |\n|---|---|---|---|")
    for tree in options.trees:
        name, _, folder = tree.rpartition("=")
        one, few = measured(folder, "one", 0, options.repeat)
        many, all_ = measured(folder, "many", options.launches, options.repeat)
        worst = max(worst, many / one)
        print(
            f"| {name or Path(folder).name} | {few}: {one:.1f} s | {all_}: {many:.1f} s | {many / one:.2f} |"
        )
    return 1 if worst > BOUND else 0


if __name__ == "__main__":
    sys.exit(main())
