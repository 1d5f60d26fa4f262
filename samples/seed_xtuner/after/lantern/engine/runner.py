"""Builds what a configuration says, and trains it."""

from datetime import timedelta

import deepspeed
import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler

from lantern import diary
from lantern.registry import BUILDER

WATCHED = ("projector.0.weight", "projector.2.weight")


def master_print(text):
    if dist.get_rank() == 0:
        print(text, flush=True)


class Runner:
    def __init__(self, cfg, strategy):
        self.cfg = cfg
        self.strategy = strategy
        backend = "nccl" if torch.cuda.is_available() else "gloo"
        deepspeed.init_distributed(dist_backend=backend, timeout=timedelta(hours=2))
        torch.manual_seed(cfg.get("seed", 0))

    def loader(self):
        dataset = BUILDER.build(self.cfg.train_dataset)
        said = self.cfg.train_dataloader
        return DataLoader(
            dataset,
            batch_size=said.batch_size,
            num_workers=said.get("num_workers", 0),
            sampler=DistributedSampler(dataset),
            collate_fn=said.collate_fn["type"],
        )

    def train(self):
        loader = self.loader()
        model = BUILDER.build(self.cfg.model)
        trained = [p for p in model.parameters() if p.requires_grad]
        optimizer = torch.optim.AdamW(trained, **self.cfg.optim_wrapper.optimizer)
        engine, _, _, _ = deepspeed.initialize(
            model=model, model_parameters=trained, optimizer=optimizer, config=self.strategy
        )
        diary.weights("start", engine.module, WATCHED)
        for epoch in range(self.cfg.train_cfg.max_epochs):
            loader.sampler.set_epoch(epoch)
            for step, batch in enumerate(loader):
                loss = engine(**batch)
                engine.backward(loss)
                engine.step()
                diary.note(epoch=epoch, step=step, loss=loss.item())
            master_print(f"epoch {epoch + 1} of {self.cfg.train_cfg.max_epochs}")
        diary.weights("end", engine.module, WATCHED)
        diary.note(done="trained on what one rank has prepared")
