"""All that a rule in codemods/ may import."""

from mmcodemod.facts import edit_json, edit_python, edit_shell, edit_yaml
from mmcodemod.facts.body import Via, own_nodes
from mmcodemod.facts.jsonedit import insert_member
from mmcodemod.facts.lines import LineMap as JsonLines
from mmcodemod.facts.node import Member as JsonMember
from mmcodemod.facts.node import Node as JsonNode
from mmcodemod.facts.python import FunctionFacts
from mmcodemod.knowledge import deepspeed_gates, transformers_gates, wrappers
from mmcodemod.knowledge import schedules as schedule_kinds
from mmcodemod.knowledge.bf16_models import bf16_family
from mmcodemod.knowledge.collectives import (
    ALWAYS,
    DEEPSPEED,
    GATHERED,
    LIGHTNING,
    PARTED,
    SHARDED,
    WRAPPED,
)
from mmcodemod.knowledge.deepspeed_keys import KEYS as DEEPSPEED_KEYS
from mmcodemod.knowledge.deepspeed_keys import RELEASES as DEEPSPEED_RELEASES
from mmcodemod.knowledge.foreign_models import Foreign, foreign_model
from mmcodemod.knowledge.gradients import optim_clips_itself
from mmcodemod.knowledge.hf_deepspeed import ASKS_ZERO3
from mmcodemod.knowledge.waiting_calls import INSIDE
from mmcodemod.model.context import Context, Entry, Origin, Strategy
from mmcodemod.model.finding import Dismissal, Finding, Note, Step
from mmcodemod.model.fix import Edit, Fix
from mmcodemod.model.frozen import frozen
from mmcodemod.model.grade import Applicability, Confidence, How, Severity
from mmcodemod.model.option import AUTO, MISSING, UNKNOWN, Option
from mmcodemod.model.place import Place
from mmcodemod.model.rule import Rule
from mmcodemod.model.verdict import Answer, Excluded, Fatal, Unclear
from mmcodemod.project import (
    accelerate_default,
    accumulated,
    accumulated_steps,
    adapted_inputs,
    batch_branches,
    batch_values,
    checkpointing,
    compared_values,
    config_answers,
    configs,
    devices,
    ds_initialize,
    encoder_gradients,
    evaluation,
    every_parameter,
    experts,
    external_reads,
    fixed_devices,
    foreign_clips,
    forwards,
    frozen_encoders,
    half_parameters,
    handed_timeouts,
    lengthy,
    longwork,
    mapped_everywhere,
    mapping,
    memory,
    own_names,
    own_ranks,
    per_step,
    plain_backward,
    prepared_schedules,
    reentrant,
    samplers,
    shown_apart,
    skips,
    step_counts,
    stops,
    timeouts,
    together,
    told_epochs,
    trained,
    trained_kinds,
    unshared_data,
    unused_search,
    versions,
    worker_code,
    wrapped_checkpointing,
    wrapping,
)
from mmcodemod.project.accelerate_made import made_by_accelerate, made_without_file
from mmcodemod.project.adapter_size import narrow_adapters, saves_modules
from mmcodemod.project.adapters import Trained, lora, quantized
from mmcodemod.project.adapters import trained as trained_parameters
from mmcodemod.project.after_failure import only_after_failure
from mmcodemod.project.alternatives import alternatives, chosen, named_around
from mmcodemod.project.answers import GROUPS, both, doubted, grouped, launched, runs_with
from mmcodemod.project.arguments import argument as passed_argument
from mmcodemod.project.arguments import given_at, handed, switched_off
from mmcodemod.project.asserted_labels import asserted_labels
from mmcodemod.project.aux_models import AuxRun, aux_runs
from mmcodemod.project.batch_keys import batch_key
from mmcodemod.project.bits import Bits
from mmcodemod.project.both_kinds import both_kinds, brought
from mmcodemod.project.branches import Branch, branches, function_scope, modality_functions, modality_tests
from mmcodemod.project.buffers import buffers
from mmcodemod.project.building import Visit, building, tests
from mmcodemod.project.callgraph import Edge
from mmcodemod.project.clamped import clamped
from mmcodemod.project.cleared_batches import cleared
from mmcodemod.project.code_dictionaries import code_dictionaries
from mmcodemod.project.collate import (
    Omission,
    collators,
    dataset_stand_ins,
    grouping_sampler,
    omissions,
    stand_in,
    trains_modality,
)
from mmcodemod.project.come_through import come_through, configured_call
from mmcodemod.project.comes_by import Tests, comes_by, decided_against
from mmcodemod.project.copied_seed import copied
from mmcodemod.project.counted_turns import turns_counted_alike
from mmcodemod.project.data_choice import bypassed_by
from mmcodemod.project.death import Death
from mmcodemod.project.differs import asks_rank, differs, open_way, rank_test, ranks_apart
from mmcodemod.project.divergence import Cause, Divergence, plain, saves
from mmcodemod.project.ds_arguments import (
    argument,
    constructed_with,
    parses_training_arguments,
    set_in_code,
    trainer_runs,
    users_of,
)
from mmcodemod.project.dummies import Dummy, lost_dummies
from mmcodemod.project.dying import dies, dies_untold
from mmcodemod.project.either_way import either_way
from mmcodemod.project.emission import availability, gaps
from mmcodemod.project.emitting import Emission
from mmcodemod.project.encoder_loops import encoder_loops
from mmcodemod.project.encoder_picks import encoder_picks
from mmcodemod.project.engine_calls import engine_call
from mmcodemod.project.evened_out import no_gradients, trains_on
from mmcodemod.project.experts import Loop as ExpertLoop
from mmcodemod.project.failing import taken_by
from mmcodemod.project.feature_training import frozen_perhaps, with_gradients
from mmcodemod.project.features import Features, features_of, without_gradients
from mmcodemod.project.few_bits import in_full_bits
from mmcodemod.project.few_trained import few_trained
from mmcodemod.project.filled_templates import replaced_words
from mmcodemod.project.finite_losses import finite_afterwards
from mmcodemod.project.first_labels import first_label
from mmcodemod.project.flags import member_place
from mmcodemod.project.flow import Arms, Flow, flow_of, holds, inline_tests, raises
from mmcodemod.project.frozen import frozen_in
from mmcodemod.project.frozen_modules import Freeze as ModuleFreeze
from mmcodemod.project.frozen_modules import freezes as module_freezes
from mmcodemod.project.frozen_modules import freezes_inside
from mmcodemod.project.fsdp_units import in_root_unit
from mmcodemod.project.gathered import Spelling
from mmcodemod.project.gathered import models as gathered_models
from mmcodemod.project.gathers import gathered_at
from mmcodemod.project.generated_length import of_one_length
from mmcodemod.project.given_clipping import given_clipping
from mmcodemod.project.given_dictionaries import given_dictionary, open_to_change
from mmcodemod.project.gradients import (
    BACKWARDS,
    CLIPS,
    STEPS,
    Grad,
    GradCall,
    Gradients,
    Hand,
    before,
    gradients_by_hand,
)
from mmcodemod.project.guards import rank_parts
from mmcodemod.project.handed_tests import handed_tests
from mmcodemod.project.hf_loads import HfLoad, hf_loads, initialized, trained_models
from mmcodemod.project.hidden import ignored_at, listed_at
from mmcodemod.project.idle_clips import idle_clips
from mmcodemod.project.idle_labels import idle_labels
from mmcodemod.project.ignored_labels import Cut as LabelCut
from mmcodemod.project.ignored_labels import asked_for as labels_asked_for
from mmcodemod.project.ignored_labels import cuts as label_cuts
from mmcodemod.project.ignored_labels import cuts_of_run, masked_prompt, prompts_of_run
from mmcodemod.project.ignored_labels import is_ignored as is_ignored_label
from mmcodemod.project.infer import Frame
from mmcodemod.project.inference import inference_only, outside_training
from mmcodemod.project.into_loss import gets_into_loss
from mmcodemod.project.kept_out import chosen_way
from mmcodemod.project.late_logs import is_late
from mmcodemod.project.launched_samples import described, text_model
from mmcodemod.project.lengthy_prompts import lengthy_prompts
from mmcodemod.project.let_in import let_in
from mmcodemod.project.lightning_stages import zero3_by_lightning
from mmcodemod.project.lightning_waits import lightning_waits
from mmcodemod.project.loaded_back import loaded_back
from mmcodemod.project.loaded_parts import loaded_part
from mmcodemod.project.lost_configs import HfConfig, hf_configs, lost_before, unknown_at
from mmcodemod.project.lost_writes import Gather, writing_gathers
from mmcodemod.project.made_up_data import made_up
from mmcodemod.project.mean_losses import MeanLoss, mean_losses
from mmcodemod.project.merged_adapters import Merge, merges
from mmcodemod.project.modality import Kind, Scope, atoms, means_present, presence
from mmcodemod.project.modality import asked_keys as keys_asked
from mmcodemod.project.model import Project
from mmcodemod.project.model_copies import ModelCopy, model_copies
from mmcodemod.project.model_weights import open_embedding, open_weights
from mmcodemod.project.module_calls import ModuleCall, ModuleCalls, module_classes
from mmcodemod.project.multimodal import named as multimodal_name
from mmcodemod.project.multimodal import sees
from mmcodemod.project.named_devices import names_devices
from mmcodemod.project.never_steps import never_steps
from mmcodemod.project.new_embeddings import EMBEDDINGS
from mmcodemod.project.off_default import off_default
from mmcodemod.project.old_devices import without_bf16
from mmcodemod.project.open_share import open_share
from mmcodemod.project.origins import Origin as ValueOrigin
from mmcodemod.project.origins import Origins
from mmcodemod.project.own_losses import own_loss
from mmcodemod.project.own_words import set_by_own_words
from mmcodemod.project.parameters import Count, parameters
from mmcodemod.project.part_saved import part_saved, takes_parts
from mmcodemod.project.partition import Partitioned, partitioned
from mmcodemod.project.passed_over import passes_over
from mmcodemod.project.passes import Seen, State
from mmcodemod.project.patience import runs_out
from mmcodemod.project.placed_loads import Placed, PlacedLoad, placed_loads
from mmcodemod.project.plugin_clips import plugin_clips
from mmcodemod.project.plugin_configs import MADE_BY_PLUGIN
from mmcodemod.project.precision import SWITCHES, precision_asked
from mmcodemod.project.preferences import preference_loss
from mmcodemod.project.prepared import prepared_before
from mmcodemod.project.private_gradients import private_gradients
from mmcodemod.project.rank_tests import (
    RankTest,
    SavedByAll,
    call_at,
    harmless_tests,
    main_first,
    node_of,
    only_on_main,
    saved_by_all,
)
from mmcodemod.project.ranks import ranks
from mmcodemod.project.refusals import refused
from mmcodemod.project.refused_samples import refused_samples, stops_at_nan
from mmcodemod.project.replaced_forwards import replaced_forward
from mmcodemod.project.reshuffled import reshuffled
from mmcodemod.project.rounds import MANY, in_one_round, may_vary, over_pieces, varies
from mmcodemod.project.rounds import runs as module_runs
from mmcodemod.project.scaled_limits import scaled_limit
from mmcodemod.project.sequences import Letter
from mmcodemod.project.setting import Setting
from mmcodemod.project.settings import Settings
from mmcodemod.project.several import one_process, several_ranks, sharded_ranks
from mmcodemod.project.several_passes import other_passes
from mmcodemod.project.sharded_generation import Generation, ends_apart, generations, in_shards
from mmcodemod.project.sharded_writes import ShardedWrite, sharded_writes
from mmcodemod.project.sides import Side
from mmcodemod.project.site import Site, config_site, site
from mmcodemod.project.skip_ways import gets_to
from mmcodemod.project.skipped import skipped_by
from mmcodemod.project.small_steps import small_steps
from mmcodemod.project.spawned import spawned
from mmcodemod.project.staggered import other_half
from mmcodemod.project.standins import model_stand_ins
from mmcodemod.project.state_loads import state_loads
from mmcodemod.project.step_hooks import StepHook, step_hooks
from mmcodemod.project.timed_loops import timed
from mmcodemod.project.told_clipping import told_clipping
from mmcodemod.project.trace import launch_steps
from mmcodemod.project.trainer_clips import ClippedRun, clipped_runs
from mmcodemod.project.trainer_options import trainer_option
from mmcodemod.project.trl_runs import uses_trl
from mmcodemod.project.under_tests import comes_to, tests_around
from mmcodemod.project.uneven_gathers import uneven_gathers
from mmcodemod.project.unlabelled import unlabelled_asked
from mmcodemod.project.unlabelled_losses import goes_on_with, loss_without_labels
from mmcodemod.project.unpaired import unpaired
from mmcodemod.project.weigh import Verdict, conclude, loudness, weigh
from mmcodemod.project.weight_saves import WeightSave, weight_saves
from mmcodemod.project.without_main import without_main
from mmcodemod.project.zero3_runs import (
    by_no_flag,
    comes_sharded,
    never_handed,
    partitioned_by,
    without_zero3,
)
from mmcodemod.project.zero_init import config_order
from mmcodemod.scan.agreed import agreed, all_come
from mmcodemod.scan.gathering import gathering, is_plain, only_some_ranks
from mmcodemod.scan.imports import Named, Wanted, named
from mmcodemod.scan.rewrite import edits_between, parsed, with_else
from mmcodemod.scan.unguard import TakenOut, taken_out, turned_round
from mmcodemod.scan.walk import by_kind

__all__ = [
    "ALWAYS",
    "ASKS_ZERO3",
    "AUTO",
    "BACKWARDS",
    "CLIPS",
    "DEEPSPEED",
    "DEEPSPEED_KEYS",
    "DEEPSPEED_RELEASES",
    "EMBEDDINGS",
    "GATHERED",
    "GROUPS",
    "INSIDE",
    "LIGHTNING",
    "MADE_BY_PLUGIN",
    "MANY",
    "MISSING",
    "PARTED",
    "SHARDED",
    "STEPS",
    "SWITCHES",
    "UNKNOWN",
    "WRAPPED",
    "Answer",
    "Applicability",
    "Arms",
    "AuxRun",
    "Bits",
    "Branch",
    "Cause",
    "ClippedRun",
    "Confidence",
    "Context",
    "Count",
    "Death",
    "Dismissal",
    "Divergence",
    "Dummy",
    "Edge",
    "Edit",
    "Emission",
    "Entry",
    "Excluded",
    "ExpertLoop",
    "Fatal",
    "Features",
    "Finding",
    "Fix",
    "Flow",
    "Foreign",
    "Frame",
    "FunctionFacts",
    "Gather",
    "Generation",
    "Grad",
    "GradCall",
    "Gradients",
    "Hand",
    "HfConfig",
    "HfLoad",
    "How",
    "JsonLines",
    "JsonMember",
    "JsonNode",
    "Kind",
    "LabelCut",
    "Letter",
    "MeanLoss",
    "Merge",
    "ModelCopy",
    "ModuleCall",
    "ModuleCalls",
    "ModuleFreeze",
    "Named",
    "Note",
    "Omission",
    "Option",
    "Origin",
    "Origins",
    "Partitioned",
    "Place",
    "Placed",
    "PlacedLoad",
    "Project",
    "RankTest",
    "Rule",
    "SavedByAll",
    "Scope",
    "Seen",
    "Setting",
    "Settings",
    "Severity",
    "ShardedWrite",
    "Side",
    "Site",
    "Spelling",
    "State",
    "Step",
    "StepHook",
    "Strategy",
    "TakenOut",
    "Tests",
    "Trained",
    "Unclear",
    "ValueOrigin",
    "Verdict",
    "Via",
    "Visit",
    "Wanted",
    "WeightSave",
    "accelerate_default",
    "accumulated",
    "accumulated_steps",
    "adapted_inputs",
    "agreed",
    "all_come",
    "alternatives",
    "argument",
    "asks_rank",
    "asserted_labels",
    "atoms",
    "aux_runs",
    "availability",
    "batch_branches",
    "batch_key",
    "batch_values",
    "before",
    "bf16_family",
    "both",
    "both_kinds",
    "branches",
    "brought",
    "buffers",
    "building",
    "by_kind",
    "by_no_flag",
    "bypassed_by",
    "call_at",
    "checkpointing",
    "chosen",
    "chosen_way",
    "clamped",
    "cleared",
    "clipped_runs",
    "code_dictionaries",
    "collators",
    "come_through",
    "comes_by",
    "comes_sharded",
    "comes_to",
    "compared_values",
    "conclude",
    "config_answers",
    "config_order",
    "config_site",
    "configs",
    "configured_call",
    "constructed_with",
    "copied",
    "cuts_of_run",
    "dataset_stand_ins",
    "decided_against",
    "deepspeed_gates",
    "described",
    "devices",
    "dies",
    "dies_untold",
    "differs",
    "doubted",
    "ds_initialize",
    "edit_json",
    "edit_python",
    "edit_shell",
    "edit_yaml",
    "edits_between",
    "either_way",
    "encoder_gradients",
    "encoder_loops",
    "encoder_picks",
    "ends_apart",
    "engine_call",
    "evaluation",
    "every_parameter",
    "experts",
    "external_reads",
    "features_of",
    "few_trained",
    "finite_afterwards",
    "first_label",
    "fixed_devices",
    "flow_of",
    "foreign_clips",
    "foreign_model",
    "forwards",
    "freezes_inside",
    "frozen",
    "frozen_encoders",
    "frozen_in",
    "frozen_perhaps",
    "function_scope",
    "gaps",
    "gathered_at",
    "gathered_models",
    "gathering",
    "generations",
    "gets_into_loss",
    "gets_to",
    "given_at",
    "given_clipping",
    "given_dictionary",
    "goes_on_with",
    "gradients_by_hand",
    "grouped",
    "grouping_sampler",
    "half_parameters",
    "handed",
    "handed_tests",
    "handed_timeouts",
    "harmless_tests",
    "hf_configs",
    "hf_loads",
    "holds",
    "idle_clips",
    "idle_labels",
    "ignored_at",
    "in_full_bits",
    "in_one_round",
    "in_root_unit",
    "in_shards",
    "inference_only",
    "initialized",
    "inline_tests",
    "insert_member",
    "is_ignored_label",
    "is_late",
    "is_plain",
    "keys_asked",
    "label_cuts",
    "labels_asked_for",
    "launch_steps",
    "launched",
    "lengthy",
    "lengthy_prompts",
    "let_in",
    "lightning_waits",
    "listed_at",
    "loaded_back",
    "loaded_part",
    "longwork",
    "lora",
    "loss_without_labels",
    "lost_before",
    "lost_dummies",
    "loudness",
    "made_by_accelerate",
    "made_up",
    "made_without_file",
    "main_first",
    "mapped_everywhere",
    "mapping",
    "masked_prompt",
    "may_vary",
    "mean_losses",
    "means_present",
    "member_place",
    "memory",
    "merges",
    "modality_functions",
    "modality_tests",
    "model_copies",
    "model_stand_ins",
    "module_classes",
    "module_freezes",
    "module_runs",
    "multimodal_name",
    "named",
    "named_around",
    "names_devices",
    "narrow_adapters",
    "never_handed",
    "never_steps",
    "no_gradients",
    "node_of",
    "of_one_length",
    "off_default",
    "omissions",
    "one_process",
    "only_after_failure",
    "only_on_main",
    "only_some_ranks",
    "open_embedding",
    "open_share",
    "open_to_change",
    "open_way",
    "open_weights",
    "optim_clips_itself",
    "other_half",
    "other_passes",
    "outside_training",
    "over_pieces",
    "own_loss",
    "own_names",
    "own_nodes",
    "own_ranks",
    "parameters",
    "parsed",
    "parses_training_arguments",
    "part_saved",
    "partitioned",
    "partitioned_by",
    "passed_argument",
    "passes_over",
    "per_step",
    "placed_loads",
    "plain",
    "plain_backward",
    "plugin_clips",
    "precision_asked",
    "preference_loss",
    "prepared_before",
    "prepared_schedules",
    "presence",
    "private_gradients",
    "prompts_of_run",
    "quantized",
    "raises",
    "rank_parts",
    "rank_test",
    "ranks",
    "ranks_apart",
    "reentrant",
    "refused",
    "refused_samples",
    "replaced_forward",
    "replaced_words",
    "reshuffled",
    "runs_out",
    "runs_with",
    "samplers",
    "saved_by_all",
    "saves",
    "saves_modules",
    "scaled_limit",
    "schedule_kinds",
    "sees",
    "set_by_own_words",
    "set_in_code",
    "several_ranks",
    "sharded_ranks",
    "sharded_writes",
    "shown_apart",
    "site",
    "skipped_by",
    "skips",
    "small_steps",
    "spawned",
    "stand_in",
    "state_loads",
    "step_counts",
    "step_hooks",
    "stops",
    "stops_at_nan",
    "switched_off",
    "taken_by",
    "taken_out",
    "takes_parts",
    "tests",
    "tests_around",
    "text_model",
    "timed",
    "timeouts",
    "together",
    "told_clipping",
    "told_epochs",
    "trained",
    "trained_kinds",
    "trained_models",
    "trained_parameters",
    "trainer_option",
    "trainer_runs",
    "trains_modality",
    "trains_on",
    "transformers_gates",
    "turned_round",
    "turns_counted_alike",
    "uneven_gathers",
    "unknown_at",
    "unlabelled_asked",
    "unpaired",
    "unshared_data",
    "unused_search",
    "users_of",
    "uses_trl",
    "varies",
    "versions",
    "weigh",
    "weight_saves",
    "with_else",
    "with_gradients",
    "without_bf16",
    "without_gradients",
    "without_main",
    "without_zero3",
    "worker_code",
    "wrapped_checkpointing",
    "wrappers",
    "wrapping",
    "writing_gathers",
    "zero3_by_lightning",
]
