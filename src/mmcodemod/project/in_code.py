"""What code that a run reaches says of its strategy: the DeepSpeed configurations that it gives libraries,
the sharding that it applies, and training arguments that it makes without a file. Worked out once for each
reach."""

from __future__ import annotations

from mmcodemod.model.place import Place
from mmcodemod.project.callgraph import CallGraph
from mmcodemod.project.code_arguments import made_without_file
from mmcodemod.project.code_settings import Named, named_in_code
from mmcodemod.project.given_configs import Giving, Givings
from mmcodemod.project.infer import Resolver
from mmcodemod.project.reach import Reach
from mmcodemod.project.training import Sharded, Shardings


class InCode:
    """Of one call graph."""

    def __init__(self, solver: Resolver, graph: CallGraph) -> None:
        self._solver, self._graph = solver, graph
        self._every, self._shardings = Givings(solver, graph), Shardings(solver.index, graph)
        self._is: dict[Giving, Named | None] = {}  # what each configuration given in code is
        self._given: dict[Reach, list[Giving]] = {}
        self._named: dict[Reach, list[Named]] = {}
        self._sharded: dict[Reach, list[Sharded]] = {}
        self._made: dict[Reach, Place | None] = {}

    def givings(self, reach: Reach) -> list[Giving]:
        """Where code gives a DeepSpeed configuration to a library."""
        if reach not in self._given:
            self._given[reach] = self._every.of(reach)
        return self._given[reach]

    def named(self, reach: Reach) -> list[Named]:
        """The configurations that it gives, as far as they show."""
        if reach not in self._named:
            givings = self.givings(reach)
            new = [giving for giving in givings if giving not in self._is]
            self._is.update(named_in_code(self._solver.index, new))
            self._named[reach] = [known for giving in givings if (known := self._is[giving])]
        return self._named[reach]

    def sharded(self, reach: Reach) -> list[Sharded]:
        """The places that apply FSDP."""
        if reach not in self._sharded:
            self._sharded[reach] = self._shardings.of(reach)
        return self._sharded[reach]

    def made_without_file(self, reach: Reach) -> Place | None:
        """Where it makes the training arguments itself, without a DeepSpeed file."""
        if reach not in self._made:
            self._made[reach] = made_without_file(self._solver, self._graph, reach)
        return self._made[reach]
