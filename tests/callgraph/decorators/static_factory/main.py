"""A static method makes the decorator, and what it makes is called on another object."""


class Helper:
    @staticmethod
    def named(group):
        def decorate(fn):
            def wrapper(self):
                return fn(self)

            return wrapper

        return decorate


class Pipe:
    def main(self):
        return self.run()


class Sft(Pipe):
    @Helper.named(group="b")
    def run(self):
        return self.train()

    def train(self):
        pass


Sft().main()
