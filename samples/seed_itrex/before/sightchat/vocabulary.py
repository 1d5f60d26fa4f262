"""Words and their numbers; a picture takes the place of `<image>`."""

IGNORE_INDEX = -100
IMAGE_TOKEN_INDEX = -200
SHADES = ("black", "dark", "light", "white")
WORDS = ("<pad>", *SHADES, "which", "shade", "say", "again", "please")
NUMBERS = {"<image>": IMAGE_TOKEN_INDEX, **{word: number for number, word in enumerate(WORDS)}}
SIZE, PATCHES = 8, 4  # pixels of a side; patches of a picture


def numbers(text):
    return [NUMBERS[word] for word in text.split()]
