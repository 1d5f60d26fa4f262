"""A call with arguments that a function cannot take is no call of it."""


class Plain:
    def build(self, line):
        return line


class Paired:
    def build(self, line, other):
        return line, other


def run(data, pair):
    return data.build("a", "b") if pair else data.build(line="a")


for each in (Plain(), Paired()):
    run(each, isinstance(each, Paired))
