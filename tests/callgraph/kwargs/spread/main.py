"""`**kwargs` carries callables by key, through a helper and a subclass."""


def collate():
    pass


def dataset():
    pass


def data_module():
    return dict(make=dataset, collate=collate)


class Base:
    def __init__(self, make=None, collate=None):
        self.make = make
        self.collate = collate

    def run(self):
        self.make()
        self.collate()


class Mine(Base):
    def __init__(self, name, **kwargs):
        super().__init__(**kwargs)


Mine("mine", **data_module()).run()
