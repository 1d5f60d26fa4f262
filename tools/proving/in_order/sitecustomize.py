"""Read by Python as it starts a rank of a proof: gloo runs the collectives of a group one after the other.

DeepSpeed before 0.19.8 gathers several weights and waits for the last gather alone (`_allgather_params` in
runtime/zero/partition_parameters.py). With NCCL that is enough, because the collectives of a group are done
in order. Gloo gives each group two threads: an earlier gather may still be under way, and now and then
a run begins with garbage in its weights: a failure that no GPU shows.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

PATCHED = "torch.distributed.distributed_c10d"


class InOrder(MetaPathFinder, Loader):
    """Loads the module that makes process groups, and gives those of gloo one thread each."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name != PATCHED:
            return None
        sys.meta_path.remove(self)
        found = importlib.util.find_spec(name)
        if found is None or found.loader is None:
            return None
        self.real, found.loader = found.loader, self
        return found

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self.real.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        self.real.exec_module(module)
        vars(module)["ProcessGroupGloo"] = _one_thread(vars(module)["ProcessGroupGloo"])


def _one_thread(gloo: Any) -> Any:
    """The class, whose groups have one thread, so that they do one thing after the other."""

    class OneThread(gloo):  # type: ignore[misc]
        def __init__(self, store: Any, rank: int, size: int, timeout: Any) -> None:
            options = gloo._Options()
            options._devices = [gloo.create_default_device()]
            options._timeout, options._threads = timeout, 1
            super().__init__(store, rank, size, options)

    return OneThread


sys.meta_path.insert(0, InOrder())
