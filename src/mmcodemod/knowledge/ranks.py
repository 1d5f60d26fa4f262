"""What tells a rank which one it is, and what else differs between ranks. By dotted suffix: several libraries
use the same words."""

from __future__ import annotations

NUMBERS: frozenset[str] = frozenset(
    (
        "get_rank",
        "get_local_rank",
        "get_global_rank",
        "get_node_local_rank",
        "get_dist_rank",
        "get_world_rank",
        "local_rank",
        "global_rank",
        "process_index",
        "local_process_index",
        "node_rank",
        "ddp_rank",
        "ddp_local_rank",
    )
)
"""Attributes, variables and functions that are the number of the rank: 0 on the main one."""

FLAGS: frozenset[str] = frozenset(
    (
        "is_main_process",
        "is_local_main_process",
        "is_world_process_zero",
        "is_local_process_zero",
        "is_global_zero",
        "is_rank_zero",
        "is_rank_0",
        "is_rank0",
        "is_master",
        "is_master_process",
        "is_world_master",
        "is_main_rank",
        "master_process",
        "main_process",
        "is_first_worker",
    )
)
"""The same that are true on the main rank alone."""

ARGUMENT_FLAGS: frozenset[str] = frozenset(("should_save", "should_log"))
"""TrainingArguments properties that are true on the main rank; TrainerControl has the same names for
decisions that all ranks share."""

VARIABLES: frozenset[str] = frozenset(
    ("RANK", "LOCAL_RANK", "SLURM_PROCID", "SLURM_LOCALID", "NODE_RANK", "OMPI_COMM_WORLD_RANK")
)
"""Environment variables that launchers set to the number of the rank."""

ON_MAIN: frozenset[str] = frozenset(
    (
        "rank_zero_only",
        "on_main_process",
        "on_local_main_process",
        "master_only",
        "main_process_only",
        "rank_zero",
    )
)
"""Decorators under which only the main rank runs the function."""

BARE_RANK = "rank"
"""`rank` alone is also a word of LoRA and linear algebra: it counts as a name of its own, and as an
attribute of nothing but arguments."""

LOCAL: frozenset[str] = frozenset(
    (
        "time.time",
        "time.monotonic",
        "time.perf_counter",
        "datetime.datetime.now",
        "random.random",
        "random.randint",
        "random.choice",
        "random.uniform",
        "random.sample",
        "numpy.random.rand",
        "numpy.random.randint",
        "numpy.random.choice",
        "uuid.uuid4",
        "os.path.exists",
        "os.path.isfile",
        "os.path.isdir",
        "os.listdir",
        "os.getpid",
        "glob.glob",
        "socket.gethostname",
    )
)
"""Library calls whose result each rank gets for itself: clocks, random numbers, its own view of the disk."""

WORLD: frozenset[str] = frozenset(
    (
        "world_size",
        "get_world_size",
        "num_processes",
        "n_gpu",
        "is_initialized",
        "is_dist_initialized",
        "is_available",
        "distributed",
        "is_distributed",
        "use_distributed",
        "ddp",
    )
)
"""What asks for the number of ranks, or whether there are several: the same on all of them."""

WORLD_SIZES: frozenset[str] = frozenset(("world_size", "get_world_size", "num_processes"))
"""Those that are the number of ranks."""

WORLD_VARIABLE = "WORLD_SIZE"
"""The environment variable that launchers set to it."""

WORLD_FLAGS: frozenset[str] = frozenset(
    ("is_initialized", "is_dist_initialized", "distributed", "is_distributed", "use_distributed", "ddp")
)
"""Those that are true where there are several ranks."""

MAIN_FIRST: frozenset[str] = frozenset(
    (
        "main_process_first",
        "local_main_process_first",
        "torch_distributed_zero_first",
        "zero_first",
        "main_local_process_first",
    )
)
"""Context managers in which the main rank goes first and the others follow: each side waits once."""

FILE_LOCKS: frozenset[str] = frozenset(("FileLock", "SoftFileLock", "UnixFileLock", "InterProcessLock"))
"""Context managers that let one process of a machine in after the other.

Source: https://py-filelock.readthedocs.io and https://fasteners.readthedocs.io."""
