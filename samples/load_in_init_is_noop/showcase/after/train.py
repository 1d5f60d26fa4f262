"""Trains the language model together with its tower."""

import argparse

import deepspeed
import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler

import diary
from data import Reports
from model import DoctorForCausalLM

WATCHED = ("tower.patches.weight", "tower.patches.bias", "tower.norm.weight", "tower.norm.bias")


def compare(model):
    """How much of the tower's checkpoint the model holds."""
    checkpoint = torch.load(model.config.tower_weights, map_location="cpu")
    held = dict(model.tower.named_parameters())
    for name, value in checkpoint.items():
        diary.print_of("checkpoint", f"tower.{name}", value)
    same = sum(torch.equal(held[name], value) for name, value in checkpoint.items())
    print(f"the tower holds {same} of {len(checkpoint)} weights of its checkpoint")


def main():
    parser = deepspeed.add_config_arguments(argparse.ArgumentParser())
    parser.add_argument("--steps", type=int, default=16)
    parser.add_argument("--local_rank", type=int, default=0)
    args = parser.parse_args()

    deepspeed.init_distributed(dist_backend="gloo")
    torch.manual_seed(0)
    model = DoctorForCausalLM.from_pretrained("weights/language")
    # mmcodemod MM122: from_pretrained initialises anew what its checkpoint lacks
    model.load_tower()
    compare(model)
    engine, _, _, _ = deepspeed.initialize(args=args, model=model, model_parameters=model.parameters())
    size = engine.train_micro_batch_size_per_gpu()
    reports = Reports(args.steps * size * dist.get_world_size())
    loader = DataLoader(reports, batch_size=size, sampler=DistributedSampler(reports, shuffle=False))

    diary.weights("start", engine.module, WATCHED)
    for step, batch in enumerate(loader):
        loss = engine(**batch).loss
        engine.backward(loss)
        engine.step()
        diary.note(step=step, loss=loss.item())
    diary.weights("end", engine.module, WATCHED)
    diary.note(done="trained with the tower's weights")


if __name__ == "__main__":
    main()
    diary.close()
