"""Inner functions see the names, the parameters and the `self` around them."""


def step():
    pass


class Trainer:
    def fit(self, after):
        def once():
            self.log()
            after()

        def again():
            once()

        again()

    def log(self):
        pass


Trainer().fit(step)


def counter(fn):
    current = None

    def call():
        current()

    def arm():
        nonlocal current
        current = fn

    arm()
    return call


counter(step)()
