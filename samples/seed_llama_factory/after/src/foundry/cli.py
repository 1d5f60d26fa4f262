"""foundry-cli: `train` starts one process for each device, by torchrun where there are several."""

import os
import subprocess
import sys

from foundry import launcher

COMMANDS = ("train", "version")


def main():
    command = sys.argv.pop(1) if len(sys.argv) > 1 else "help"
    if command == "train":
        processes = os.environ.get("NPROC_PER_NODE", "1")
        if processes == "1":
            launcher.launch()
        else:
            started = ["torchrun", "--nproc_per_node", processes, launcher.__file__, *sys.argv[1:]]
            sys.exit(subprocess.run(started).returncode)
    elif command == "version":
        print("0.3.0")
    else:
        print(f"foundry-cli {' | '.join(COMMANDS)}")
