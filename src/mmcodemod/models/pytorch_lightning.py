"""pytorch_lightning: the same as lightning.

Source: https://lightning.ai/docs/pytorch/stable/upgrade/from_1_9.html
"""

from lightning import *

VERSIONS = "pytorch_lightning>=1.9,<3"
HOMES = ("pytorch_lightning.*",)
