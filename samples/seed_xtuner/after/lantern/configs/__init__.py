"""What can be named on the command line, by bare name."""

from pathlib import Path

HOME = Path(__file__).parent
BY_NAME = {f.stem: str(f) for f in sorted(HOME.glob("tiny/*.py"))} | {
    f.stem: str(f) for f in sorted(HOME.glob("deepspeed/*.json"))
}
