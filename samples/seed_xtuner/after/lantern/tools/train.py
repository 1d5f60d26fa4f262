"""Trains what a configuration describes."""

import argparse
import json
import os.path as osp

from mmengine.config import Config

from lantern import diary
from lantern.configs import BY_NAME
from lantern.engine import Runner


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("config", help="path or bare name of a configuration")
    parser.add_argument("--deepspeed", required=True, help="path or bare name of a DeepSpeed configuration")
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--local_rank", "--local-rank", type=int, default=0)
    return parser.parse_args()


def strategy_of(cfg, path):
    """DeepSpeed's configuration, with what the run's own says in place of "auto"."""
    with open(path if osp.isfile(path) else BY_NAME[path]) as file:
        found = json.load(file)
    found["train_micro_batch_size_per_gpu"] = cfg.train_dataloader.batch_size
    found["gradient_clipping"] = cfg.optim_wrapper.clip_grad.max_norm
    return found


def main():
    args = parse_args()
    cfg = Config.fromfile(args.config if osp.isfile(args.config) else BY_NAME[args.config])
    if args.seed is not None:
        cfg.seed = args.seed
    Runner(cfg, strategy_of(cfg, args.deepspeed)).train()


if __name__ == "__main__":
    main()
    diary.close()
