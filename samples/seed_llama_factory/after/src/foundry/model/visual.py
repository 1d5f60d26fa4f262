"""Where models keep their towers and projectors."""

TOWERS = {"llava": "vision_tower", "foundry_tiny": "vision_tower", "qwen2_vl": "visual"}
PROJECTORS = {
    "llava": "multi_modal_projector",
    "foundry_tiny": "multi_modal_projector",
    "qwen2_vl": "visual.merger",
}


def part(model, path):
    """A part by its dotted name, of the model or of what it wraps."""
    found = model
    for name in path.split("."):
        found = getattr(found, name, None) or getattr(getattr(found, "model", None), name)
    return found


def freeze(model, finetuning_args):
    kind = getattr(model.config, "model_type", None)
    if finetuning_args.freeze_vision_tower and kind in TOWERS:
        part(model, TOWERS[kind]).requires_grad_(False)
    if kind in PROJECTORS:
        part(model, PROJECTORS[kind]).requires_grad_(not finetuning_args.freeze_projector)
