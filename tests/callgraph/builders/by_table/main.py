"""A builder that asks each class for the names that it knows, and groups of names that are built together."""


class Base:
    SOURCES = {}

    @classmethod
    def names(cls):
        return list(cls.SOURCES)

    def score(self):
        return 0


class Charts(Base):
    SOURCES = {"charts": "a", "plots": "b"}

    def score(self):
        return 1


class Photos(Base):
    SOURCES = {"photos": "c"}

    def score(self):
        return 2


class Clips(Base):
    @classmethod
    def names(cls):
        return ["clips"]

    def score(self):
        return 3


CLASSES = [Charts, Photos] + [Clips]


def build(name):
    for cls in CLASSES:
        if name in cls.names():
            return cls()
    return None


class Group(Base):
    PARTS = {"still": ["charts", "photos"]}

    def __init__(self, name):
        self.parts = {}
        for part in self.PARTS[name]:
            self.parts[part] = build(part)

    def score(self):
        return sum(self.parts[part].score() for part in self.parts)


def run(name):
    return build(name).score()


Group("still").score()
run("".join(["cli", "ps"]))
run("".join(["pho", "tos"]))
run("".join(["plo", "ts"]))
