"""Runs the proofs of samples/*/proof.toml and writes docs/proofs.md.

python tools/prove.py                                       all proofs, in environments that it builds
python tools/prove.py MM201 --python base=/path/to/python   one, in an environment that is there
python tools/prove.py seed_llava                            a whole system, in which several rules meet
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tools"))

from proving import environments, table  # noqa: E402
from proving.environments import EnvironmentFault, Environments  # noqa: E402
from proving.patching import PatchFault  # noqa: E402
from proving.proof import Refused, Result, Runner, prove  # noqa: E402
from proving.running import Outcome, free_port, run  # noqa: E402
from proving.spec import Proof, Run, SpecError, all_proofs, unproved  # noqa: E402

COMPILE_LIMIT = 240  # seconds more for the first run of an environment: DeepSpeed compiles an operator


def main(arguments: list[str] | None = None) -> int:
    """0 when all proofs hold, 1 when one does not, 2 when something could not be used."""
    options = _options().parse_args(arguments)
    try:
        chosen = _chosen(options.codes)
        given = dict(_given(text) for text in options.python)
    except SpecError as error:
        print(error, file=sys.stderr)
        return 2
    known = Environments(options.env_dir, given)
    failed = 0
    for proof in chosen:
        found = [row for each in proof.runs if (row := _row(proof, each, known, options.tries))]
        failed += len(found) < len(proof.runs)
        if not options.no_table:
            table.write(ROOT / "docs" / "proofs.md", found, [proof.name], unproved(ROOT))
    return 1 if failed else 0


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Run the proofs and write docs/proofs.md.")
    parser.add_argument(
        "codes", nargs="*", metavar="NAME", help="rules, or seed_NAME; all when none is named"
    )
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    parser.add_argument("--env-dir", type=Path, default=home / "mmcodemod" / "proofs", metavar="DIR")
    parser.add_argument(
        "--python", action="append", default=[], metavar="NAME=PATH", help="use this interpreter"
    )
    parser.add_argument(
        "--tries",
        type=int,
        default=1,
        metavar="N",
        help="run a proof that does not hold again, up to N times (on a CPU, old releases now and then fail "
        "in ways of their own); the table tells which try held",
    )
    parser.add_argument("--no-table", action="store_true", help="leave docs/proofs.md as it is")
    return parser


def _chosen(codes: list[str]) -> list[Proof]:
    every = all_proofs(ROOT / "samples")
    unknown = sorted(set(codes) - {proof.name for proof in every})
    if unknown:
        raise SpecError(f"no samples/*/proof.toml is of {', '.join(unknown)}")
    return [proof for proof in every if not codes or proof.name in codes]


def _given(text: str) -> tuple[str, Path]:
    name, equals, path = text.partition("=")
    if not equals or not Path(path).is_file():
        raise SpecError(f"--python wants NAME=PATH of an interpreter, not {text!r}")
    return name, Path(path).absolute()


def _row(proof: Proof, each: Run, known: Environments, tries: int) -> table.Row | None:
    """The row of a proof that holds; None, and told, when it does not."""
    print(f"{proof.name} in {each.environment}", file=sys.stderr)
    for number in range(1, tries + 1):
        try:
            found, versions = _proved(proof, each, known)
        except Refused as error:
            print(f"  NOT PROVED (try {number} of {tries}): {error}", file=sys.stderr)
        except (PatchFault, EnvironmentFault) as error:
            print(f"  NOT PROVED: {error}", file=sys.stderr)
            return None
        else:
            print(f"  {table.PROVED if each.fails else table.ABSENT}: {found.error or '-'}", file=sys.stderr)
            return table.row(found, versions, number)
    return None


def _proved(proof: Proof, each: Run, known: Environments) -> tuple[Result, dict[str, str]]:
    """What one environment shows, and its versions; logs and patch stay in the folder of the environments."""
    work = known.folder / "work" / proof.slug / each.environment
    work.mkdir(parents=True, exist_ok=True)
    python = known.python(each.environment)
    versions, unmet = environments.versions(python, proof.before / "requirements.txt")
    if each.fails and unmet:
        raise EnvironmentFault(f"the showcase asks for {unmet}, which {each.environment} does not have")
    return prove(proof, each, work, _runner(proof, each.environment, known, work)), versions


def _runner(proof: Proof, name: str, known: Environments, work: Path) -> Runner:
    def one(folder: Path, step: str, launch: str) -> Outcome:
        variables = {**known.variables(name, work), "MASTER_PORT": str(free_port())}
        fresh = not any(known.extensions(name).iterdir())
        limit = proof.timeout + (COMPILE_LIMIT if fresh else 0)
        outcome = run(launch, folder, variables, limit, work / f"{step}.log")
        if outcome.timed_out:
            known.clear_extensions(name)
        print(f"  {step}: exit code {outcome.code}, {outcome.seconds:.0f} s", file=sys.stderr)
        return outcome

    return one


if __name__ == "__main__":
    sys.exit(main())
