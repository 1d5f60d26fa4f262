"""Class methods, static methods and other constructors."""


class Model:
    @classmethod
    def load(cls, path):
        model = cls()
        model.tie()
        return model

    @staticmethod
    def check(path):
        pass

    def tie(self):
        self.check("x")


class Small(Model):
    def __init__(self):
        self.size = 1

    def tie(self):
        super().tie()


Small.load("x").check("y")
Model.check("z")
type(Small())()
