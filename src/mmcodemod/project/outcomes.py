"""What a training loop knows of its own rank alone, the batches left out: losses, and what is evaluated.
May-analysis."""

from __future__ import annotations

from mmcodemod.project.bare import is_bare
from mmcodemod.project.bits import Bits
from mmcodemod.project.collecting import Collecting
from mmcodemod.project.infer import Frame
from mmcodemod.project.local_data import outcomes
from mmcodemod.project.taint import BATCH_METHODS


class Outcomes(Collecting):
    """Without the batches themselves: their sizes are often the same on all ranks. Use through
    `project.get(Outcomes)`."""

    def drawn(self, function: str) -> dict[str, Bits]:
        """The names that hold a loss, or what is drawn to be evaluated."""
        if function not in self._drawn:
            self._drawn[function] = dict(outcomes(self._project, function))
        return self._drawn[function]

    def _parameter(self, name: str, frame: Frame) -> Bits:
        """What a model is called with is what the call gives it: it may be the same rows on all ranks."""
        facts = self._project.index.function(frame.function)
        if is_bare(frame) and facts.owner and facts.name in BATCH_METHODS:
            return Bits.NONE
        return super()._parameter(name, frame)
