class Projector:
    def forward(self):
        pass


def make():
    pass
