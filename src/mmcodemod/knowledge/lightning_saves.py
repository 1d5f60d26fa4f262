"""When `save_checkpoint` of Lightning's Trainer waits for all ranks, and what says how many there are.

Read in the wheels of pytorch_lightning 1.5.10, 1.6.5, 1.7.7, 1.9.5, 2.0.9, 2.1.0, 2.1.4, 2.2.0, 2.3.0, 2.4.0
and 2.5.5: since 2.1.0 `Trainer.save_checkpoint` ends with `self.strategy.barrier("Trainer.save_checkpoint")`,
whatever the strategy. Before, `Strategy.save_checkpoint` writes on the main rank, and waits for nobody;
`DeepSpeedStrategy.save_checkpoint` has always called that of the engine, and FSDP gathers in `state_dict`
what its units inside the module hold.

Run on two CPU ranks under DDP (gloo, torch 2.13), a save of rank 0 alone after the training: with
pytorch_lightning 2.4.0 rank 0 waits and dies of `Connection closed by peer` when rank 1 ends; with 2.0.9 it
writes, and the run ends well. On both ranks it is well in both.
"""

from __future__ import annotations

WAITS = "2.1"
"""The release since when it waits under every strategy."""

PACKAGES: dict[str, str] = {"lightning": "lightning", "pytorch_lightning": "pytorch-lightning"}
"""What code imports -> what is required."""

BY_DEEPSPEED, BY_FSDP, BY_DDP = "DeepSpeed", "FSDP", "DDP"
IN_ONE_PROCESS = "one process"

NAMES: tuple[tuple[str, str], ...] = (
    ("deepspeed", BY_DEEPSPEED),
    ("fsdp", BY_FSDP),
    ("ddp_fully_sharded", BY_FSDP),
    ("ddp_sharded", BY_FSDP),
    ("ddp_spawn", ""),
    ("ddp_fork", ""),
    ("ddp_notebook", ""),
    ("ddp", BY_DDP),
    ("auto", BY_DDP),
    ("dp", IN_ONE_PROCESS),
    ("single_device", IN_ONE_PROCESS),
)
"""How the name of a strategy begins -> what it is, the first that fits. "": after the training, its ranks
have ended. `auto` is DDP where there are several devices. `dp` (up to 1.9)
is `torch.nn.DataParallel`: one process, whatever devices it uses."""

CLASSES: dict[str, str] = {
    "DeepSpeedStrategy": BY_DEEPSPEED,
    "DeepSpeedPlugin": BY_DEEPSPEED,
    "FSDPStrategy": BY_FSDP,
    "DDPFullyShardedStrategy": BY_FSDP,
    "DDPFullyShardedNativeStrategy": BY_FSDP,
    "ModelParallelStrategy": BY_FSDP,
    "DDPStrategy": BY_DDP,
    "DDPPlugin": BY_DDP,
    "DataParallelStrategy": IN_ONE_PROCESS,
    "DataParallelPlugin": IN_ONE_PROCESS,
    "SingleDeviceStrategy": IN_ONE_PROCESS,
}
"""The same of strategies that are objects."""

COUNTS: tuple[str, ...] = ("devices", "gpus", "num_processes")
"""What a Trainer is told how many devices it uses with: `gpus` and `num_processes` up to 1.9. A trial
(`fast_dev_run`) changes how many batches run, not on how many devices (2.4, trainer/setup.py)."""

NODES = "num_nodes"
"""The same of machines."""

SPAWNING = "start_method"
"""What a strategy is given whose ranks end with the training."""

ON_FAILURE: tuple[str, ...] = ("on_exception", "on_keyboard_interrupt")
"""Hooks that Lightning calls only where a run fails or is stopped."""
