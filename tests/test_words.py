"""Which files say a word: the same answer as looking for its bytes in each."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mmcodemod.source.words import Words

TEXTS = st.text(alphabet="ab_1 .(é\n", max_size=30).map(str.encode)


@given(st.dictionaries(st.sampled_from(["a.py", "b.py", "c.py"]), TEXTS), st.text("ab_1 .(é", max_size=4))
def test_the_files_whose_bytes_contain_the_word(files: dict[str, bytes], word: str) -> None:
    expected = {path for path, data in files.items() if word.encode() in data}
    assert Words(files, files.__getitem__).saying(word) == expected


def test_parts_of_names_and_what_holds_no_name_are_found() -> None:
    files = {"a.py": b"x = load_state_dict", "b.py": b"x[:] = y", "c.py": b""}
    words = Words(files, files.__getitem__)
    assert words.saying("state") == {"a.py"}
    assert words.saying("[:] = ") == {"b.py"}
    assert words.saying("dict(") == frozenset()
