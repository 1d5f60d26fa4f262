"""Chained, tuple, starred and swapped assignments hand functions on."""


def crop():
    pass


def flip():
    pass


def pad():
    pass


first = second = crop
second()
left, right = flip, pad
left, right = right, left
left()
right()
head, *tail = (crop, flip, pad)
head()
for step in tail:
    step()
(a, (b, c)) = (crop, (flip, pad))
c()
