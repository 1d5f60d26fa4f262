"""`python -m mmcodemod`: drops the working folder from `sys.path` before anything else is imported."""

import os
import sys

_here = os.getcwd()
sys.path[:] = [p for p in sys.path if p not in ("", ".") and os.path.abspath(p) != _here]

from mmcodemod.cli.main import main  # noqa: E402

if __name__ == "__main__":
    main(prog_name="mmcodemod")
