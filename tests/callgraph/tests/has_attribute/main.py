"""`getattr` with a default, and `assert hasattr`, leave out the objects that lack it."""


class Local:
    def generate(self):
        return "local"

    def close(self):
        return None


class Remote:
    is_api = True

    def generate(self):
        return "remote"

    def post(self):
        return self.generate()

    def close(self):
        return None


def call(model):
    if not getattr(model, "is_api", False):
        return model.generate()
    assert hasattr(model, "post")
    model.post()
    return model.close()


for each in (Local(), Remote()):
    call(each)
