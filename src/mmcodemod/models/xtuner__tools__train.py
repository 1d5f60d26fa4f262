"""xtuner.tools.train: what `xtuner train` runs in each process.

Source: xtuner 0.2.0, entry_point.py (`cli`), tools/train.py (`main`: mmengine's Runner is built of the configuration).
"""

from mmengine import Config
from mmengine.runner import Runner

VERSIONS = "xtuner>=0.1,<1"


def main():
    runner = Runner.from_cfg(Config.fromfile(None))
    runner.train()
