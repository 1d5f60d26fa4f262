"""Library calls that gather from every rank inside, and what in their arguments decides it.

transformers 4.46 (trainer.py): `Trainer.evaluate` and `Trainer.predict` run `evaluation_loop`, which gathers
the losses, logits and labels of each batch with `accelerator.gather_for_metrics`, whatever the strategy.
pytorch_lightning 2.4 (trainer/connectors/logger_connector/result.py): a value logged with `sync_dist=True` is
reduced over all ranks, at once or at the end of the epoch; `rank_zero_only=True` switches that off.
torchmetrics 1.4 (metric.py): `Metric.compute` gathers the states of all ranks where a process group stands
(`sync_on_compute=True` is the default), and gives back what it kept (`compute_with_cache=True`) until the
next `update`.
"""

from __future__ import annotations

EVALUATIONS: frozenset[str] = frozenset(
    f"transformers.{trainer}.{method}"
    for trainer in ("Trainer", "Seq2SeqTrainer")
    for method in ("evaluate", "predict")
)
"""Methods of Trainers that gather what each rank evaluates."""

LOOPS: tuple[str, ...] = ("evaluation_loop", "prediction_loop", "prediction_step")
"""Methods of a Trainer that decide what an evaluation gathers: one of the tree's own may gather nothing."""

LOGS: frozenset[str] = frozenset(
    f"{package}.LightningModule.{method}"
    for package in ("lightning", "pytorch_lightning")
    for method in ("log", "log_dict")
)
"""Methods of Lightning's modules that log values."""

SYNCED, ON_MAIN_ALONE, IN_GROUP = "sync_dist", "rank_zero_only", "sync_dist_group"
"""Keywords of theirs: reduce over all ranks, log on the main rank alone, and the ranks to reduce over."""

METRICS, COMPUTES = "torchmetrics.", "compute"
"""How the names of metrics begin, and their method that gathers."""

UNSYNCED: tuple[str, ...] = ("sync_on_compute", "sync_context", "distributed_available_fn", "dist_sync_fn")
"""Words of code that says by itself when metrics gather."""

OF_GROUP = "process_group"
"""What a metric is given that gathers from some ranks alone."""

GROUP_MAKERS: tuple[str, ...] = (
    "init_process_group",
    "init_distributed",
    "deepspeed",
    "Accelerator",
    "PartialState",
    "TrainingArguments",
    "Trainer",
)
"""Words of code that makes a process group, without which metrics do not gather."""

INSIDE: dict[str, str] = {
    "evaluate": "gathers what every rank evaluates",
    "predict": "gathers what every rank predicts",
    "log": "reduces the value over every rank",
    "log_dict": "reduces the values over every rank",
    "compute": "gathers the states of the metric from every rank",
}
"""What such a call waits for, by its name."""
