"""All that a rule in codemods/ may import."""

from mmcodemod.facts.jsonedit import insert_member
from mmcodemod.facts.node import Node as JsonNode
from mmcodemod.facts.python import FunctionFacts
from mmcodemod.model.context import Context, Origin, Strategy
from mmcodemod.model.finding import Dismissal, Finding, Note, Step
from mmcodemod.model.fix import Edit, Fix
from mmcodemod.model.grade import Applicability, Confidence, How, Severity
from mmcodemod.model.option import AUTO, MISSING, UNKNOWN, Option
from mmcodemod.model.place import Place
from mmcodemod.model.rule import Rule
from mmcodemod.model.verdict import Answer, Excluded, Fatal, Unclear
from mmcodemod.project import configs, versions
from mmcodemod.project.answers import NAMES as STRATEGY_NAMES
from mmcodemod.project.answers import runs_with
from mmcodemod.project.arguments import switched_off
from mmcodemod.project.branches import Branch, branches, function_scope, modality_functions
from mmcodemod.project.emission import availability, batch_key
from mmcodemod.project.features import Features, features_of, without_gradients
from mmcodemod.project.flow import Arms, Flow, raises
from mmcodemod.project.gathers import gathered_at
from mmcodemod.project.infer import Frame
from mmcodemod.project.inference import inference_only
from mmcodemod.project.modality import Kind, Scope, atoms, presence
from mmcodemod.project.model import Project
from mmcodemod.project.partition import Partitioned, partitioned
from mmcodemod.project.site import Site, config_site, site
from mmcodemod.project.trace import launch_steps
from mmcodemod.project.weigh import Verdict, loudness, weigh

__all__ = [
    "AUTO",
    "MISSING",
    "STRATEGY_NAMES",
    "UNKNOWN",
    "Answer",
    "Applicability",
    "Arms",
    "Branch",
    "Confidence",
    "Context",
    "Dismissal",
    "Edit",
    "Excluded",
    "Fatal",
    "Features",
    "Finding",
    "Fix",
    "Flow",
    "Frame",
    "FunctionFacts",
    "How",
    "JsonNode",
    "Kind",
    "Note",
    "Option",
    "Origin",
    "Partitioned",
    "Place",
    "Project",
    "Rule",
    "Scope",
    "Severity",
    "Site",
    "Step",
    "Strategy",
    "Unclear",
    "Verdict",
    "atoms",
    "availability",
    "batch_key",
    "branches",
    "config_site",
    "configs",
    "features_of",
    "function_scope",
    "gathered_at",
    "inference_only",
    "insert_member",
    "launch_steps",
    "loudness",
    "modality_functions",
    "partitioned",
    "presence",
    "raises",
    "runs_with",
    "site",
    "switched_off",
    "versions",
    "weigh",
    "without_gradients",
]
