"""A configuration names its class; the builder passes the rest."""


def build(cfg):
    cfg = dict(cfg)
    cls = cfg.pop("type")
    return cls(**cfg)


class Head:
    def forward(self):
        pass


class Model:
    def __init__(self, head):
        self.head = build(head)

    def forward(self):
        self.head.forward()


model = dict(type=Model, head=dict(type=Head))
build(model).forward()
