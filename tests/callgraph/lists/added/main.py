"""Lists and tuples that are added; numbers and strings that are, too."""


class Image:
    def load(self):
        return "image"


class Video:
    def load(self):
        return "video"


class Text:
    def load(self):
        return "text"


SEEN = [Image] + [Video]
PAIR = (Image,) + (Text,)


def all_of(first, second):
    return first + second


def run():
    for cls in SEEN:
        cls().load()
    _, last = PAIR
    last().load()
    for part in all_of([Video()], [Text()]):
        part.load()
    return all_of(1, 2), all_of("a", "b")


run()
