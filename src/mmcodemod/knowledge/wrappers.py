"""Library callables that return one of their arguments, where no framework model (`models/`) says more.
`0` is the first argument."""

from __future__ import annotations

WRAPPERS: dict[str, tuple[int | str, ...]] = {
    "copy.deepcopy": (0,),
    "copy.copy": (0,),
    "typing.cast": (1,),
    "functools.partial": (0,),
}

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

# Methods through which a wrapper hands out the module it wraps.
UNWRAPPERS = frozenset(("unwrap_model", "unwrap_model_for_generation", "get_base_model"))
