"""Hooks collected in an attribute and run by another method."""


class Runner:
    def __init__(self):
        self.hooks = []

    def register(self, hook):
        self.hooks.append(hook)

    def run(self):
        for hook in self.hooks:
            hook()


def log():
    pass


def save():
    pass


runner = Runner()
runner.register(log)
runner.register(save)
runner.run()
