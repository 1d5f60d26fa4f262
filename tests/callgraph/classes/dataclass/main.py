"""Fields of data classes hold what the constructor was given."""

from dataclasses import dataclass, field


def pad():
    pass


class Tokenizer:
    def encode(self):
        pass


@dataclass
class Collator:
    tokenizer: Tokenizer
    pad_fn: object = pad
    names: list = field(default_factory=list)

    def __post_init__(self):
        self.ready()

    def ready(self):
        pass

    def __call__(self):
        self.tokenizer.encode()
        self.pad_fn


Collator(tokenizer=Tokenizer())()
Collator(Tokenizer())()
