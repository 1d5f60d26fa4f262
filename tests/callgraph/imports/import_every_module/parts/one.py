from parts import register


@register("first")
class One:
    def load(self):
        helped()


def helped():
    pass
