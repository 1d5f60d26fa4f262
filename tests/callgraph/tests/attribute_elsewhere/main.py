"""A switch that one class carries, whose objects come by a way that is not followed."""

import copy


class Plain:
    STREAMS = False


class Streaming:
    STREAMS = True


def frames():
    return []


def shown(streams):
    if streams:
        return frames()
    return []


def run(model):
    return shown(streams=getattr(model, "STREAMS", False))


run(Plain())
run(copy.copy(Streaming()))
