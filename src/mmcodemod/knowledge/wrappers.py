"""Library callables that return one of their arguments, where no framework model (`models/`) says more.
`0` is the first argument."""

from __future__ import annotations

WRAPPERS: dict[str, tuple[int | str, ...]] = {
    "copy.deepcopy": (0,),
    "copy.copy": (0,),
    "typing.cast": (1,),
}

# Attributes through which a wrapper hands out the module it wraps: wrappers stand for what they wrap.
WRAPPED = frozenset(("module",))

# Methods whose positional arguments come back as a tuple in the same order, on objects that are not known.
PASS_THROUGH = ("prepare",)

# Methods of a torch module that return the module itself.
SELF_METHODS = frozenset(
    [
        "to",
        "cuda",
        "cpu",
        "half",
        "float",
        "double",
        "bfloat16",
        "eval",
        "train",
        "requires_grad_",
        "type",
        "apply",
        "share_memory",
        "merge_and_unload",
    ]
)

# Class methods of library base classes that build an object of the class they are called on.
FACTORY_METHODS = frozenset(("from_pretrained", "from_config", "_from_config", "from_json_file", "from_dict"))

# Methods and functions through which a wrapper hands out the module it wraps.
UNWRAPPERS = frozenset(
    ("unwrap_model", "unwrap_model_for_generation", "get_base_model", "extract_model_from_parallel")
)

# Callables that look at a function or wrap it, but do not call it.
_LOOKS = "isinstance callable getattr hasattr setattr type id print str repr len"
_WRAPS = "staticmethod classmethod property dict list tuple set zip enumerate iter reversed"
_HANDS_ON = "functools.partial functools.wraps functools.wraps() functools.update_wrapper types.MethodType"
_INSPECTS = "inspect.signature inspect.getsource inspect.isfunction"
HANDS_ON = frozenset(
    [*WRAPPERS, *_HANDS_ON.split(), *_INSPECTS.split()]
    + [f"<builtin>.{name}" for name in (*_LOOKS.split(), *_WRAPS.split())]
)

DDP, FSDP, ENGINE, PREPARED, TRAINER = "DDP", "FSDP", "DeepSpeed", "accelerate", "Trainer"
LIGHTNING = "Lightning"

# What makes ranks train one model together, and what the wrapper is.
DATA_PARALLEL = {
    "torch.nn.parallel.DistributedDataParallel": DDP,
    "torch.distributed.fsdp.FullyShardedDataParallel": FSDP,
    "deepspeed.initialize": ENGINE,
    "accelerate.Accelerator().prepare": PREPARED,
    "accelerate.Accelerator().prepare_model": PREPARED,
    "accelerate.Accelerator.prepare": PREPARED,
    "accelerate.Accelerator.prepare_model": PREPARED,
}

# Classes whose methods are handed the model that a Trainer trains, or keep it as `self.model`.
TRAINERS = frozenset(
    (
        "transformers.Trainer",
        "transformers.Seq2SeqTrainer",
        "transformers.TrainerCallback",
        "transformers.trainer_callback.TrainerCallback",
    )
)
