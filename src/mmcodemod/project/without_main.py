"""Code that the main rank may never get to."""

from __future__ import annotations

import ast

from mmcodemod.project.callsites import CallSites
from mmcodemod.project.differs import asks_rank
from mmcodemod.project.flow import flow_of
from mmcodemod.project.model import Project
from mmcodemod.project.sides import Side, Sides


def without_main(project: Project, function: str, node: ast.AST) -> bool:
    """Does a test on the rank around `node` keep the main rank out, or may it do so?"""
    sides, sites = project.get(Sides), project.get(CallSites)
    for asked, outcome in flow_of(project, function).tests(node):
        for frame in project.frames(function):
            if asks_rank(project, frame, asked.test):
                side = sides.of(sites.form(asked.test, frame), frame)
                if side is not (Side.MAIN if outcome else Side.OTHERS):
                    return True
    return False
