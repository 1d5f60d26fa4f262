"""A template method runs the override; a class without it keeps the base's."""


class Trainer:
    def train(self):
        self.step()

    def step(self):
        pass


class Mine(Trainer):
    def step(self):
        super().step()
        self.extra()

    def extra(self):
        pass


Mine().train()
