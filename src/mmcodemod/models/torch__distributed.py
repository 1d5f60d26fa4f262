"""torch.distributed: calls in which every rank of a group must take part, and what tells the ranks apart.

Source: https://docs.pytorch.org/docs/stable/distributed.html
"""

from mmcodemod_intrinsics import collective, rank

VERSIONS = "torch>=1.13,<3"
HOMES = ("torch.distributed.distributed_c10d",)


def init_process_group(backend=None, *args, **kwargs):
    collective("init_process_group")


def new_group(ranks=None, *args, **kwargs):
    collective("new_group")


def barrier(group=None, async_op=False, device_ids=None):
    collective("barrier")


def monitored_barrier(group=None, timeout=None, wait_all_ranks=False):
    collective("monitored_barrier")


def broadcast(tensor, *args, **kwargs):
    collective("broadcast")


def broadcast_object_list(object_list, *args, **kwargs):
    collective("broadcast_object_list")


def all_reduce(tensor, op=None, group=None, async_op=False):
    collective("all_reduce")


def all_reduce_coalesced(tensors, op=None, group=None, async_op=False):
    collective("all_reduce_coalesced")


def reduce(tensor, *args, **kwargs):
    collective("reduce")


def all_gather(tensor_list, tensor, group=None, async_op=False):
    collective("all_gather")


def all_gather_into_tensor(output_tensor, input_tensor, group=None, async_op=False):
    collective("all_gather_into_tensor")


def all_gather_object(object_list, obj, group=None):
    collective("all_gather_object")


def gather(tensor, *args, **kwargs):
    collective("gather")


def gather_object(obj, *args, **kwargs):
    collective("gather_object")


def scatter(tensor, *args, **kwargs):
    collective("scatter")


def scatter_object_list(scatter_object_output_list, *args, **kwargs):
    collective("scatter_object_list")


def reduce_scatter(output, input_list, op=None, group=None, async_op=False):
    collective("reduce_scatter")


def reduce_scatter_tensor(output, input, op=None, group=None, async_op=False):
    collective("reduce_scatter_tensor")


def all_to_all(output_tensor_list, input_tensor_list, group=None, async_op=False):
    collective("all_to_all")


def all_to_all_single(output, input, *args, **kwargs):
    collective("all_to_all_single")


def get_rank(group=None):
    rank()


def get_node_local_rank(fallback_rank=None):
    rank()
