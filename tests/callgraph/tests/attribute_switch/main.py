"""A switch that classes carry: no class that comes here has it."""


class Plain:
    def ask(self):
        return "plain"


class Named:
    STREAMS = False

    def ask(self):
        return "named"


def frames():
    return []


def stills():
    return []


def shown(streams):
    if streams:
        return frames()
    return stills()


def run(model):
    model.ask()
    return shown(streams=getattr(model, "STREAMS", False))


run(Plain())
run(Named())
