"""Which blocks of a page are commands to run."""

import pytest

from mmcodemod.facts.markdown import Block, shell_blocks

BLOCK = "```bash\n$ torchrun train.py\n```\n"


def test_a_hostile_line_is_gone_through_once() -> None:
    lines = "<pre " + "lang=a" * 200_000, "<pre lang=" + "a" * 1_000_000, "<pre>\nx" + " " * 1_000_000 + "y"
    assert [list(shell_blocks(line)) for line in lines] == [[], [], []]


def test_a_shell_block_is_read_without_its_prompt():
    assert list(shell_blocks(f"# Train\n{BLOCK}")) == [Block(3, "  torchrun train.py")]


@pytest.mark.parametrize(
    ("block", "read"),
    [
        ("torchrun train.py\n  --lr 1\n  --clip 1", "torchrun train.py \\\n  --lr 1 \\\n  --clip 1"),
        ("torchrun train.py  \n--lr 1 \\\n--clip 1", "torchrun train.py \\\n--lr 1 \\\n--clip 1"),
        ("torchrun train.py\n\n--lr 1", "torchrun train.py\n\n--lr 1"),
        ("# options:\n--lr 1", "# options:\n--lr 1"),
        ("torchrun train.py\n- lr", "torchrun train.py\n- lr"),
    ],
)
def test_a_command_goes_on_with_flags_of_the_lines_below(block, read):
    assert [b.text for b in shell_blocks(f"```\n{block}\n```\n")] == [read]


@pytest.mark.parametrize(
    "page",
    [
        f"<!-- old:\n{BLOCK}-->\n",
        f"<!--\n{BLOCK.rstrip()} -->\n",
        f"> <!--\n{BLOCK}{BLOCK}-->\n",
        f"<!--\n{BLOCK}",  # never closed
    ],
)
def test_a_block_in_a_comment_is_none(page):
    assert list(shell_blocks(page)) == []


@pytest.mark.parametrize(
    "page",
    [
        f"<!-- old -->\n{BLOCK}",
        f"<!--\nold\n--> done\n{BLOCK}",
        f"What `<!--` begins is left out.\n{BLOCK}",
        f"```html\n<!-- a page\n```\n{BLOCK}",
    ],
)
def test_a_block_behind_a_comment_is_one(page):
    assert len(list(shell_blocks(page))) == 1


@pytest.mark.parametrize(
    ("page", "read"),
    [
        (
            "2. Run:\n<pre>torchrun train.py \\\n--lr 1 </pre> \nthen",
            [Block(2, "     torchrun train.py \\\n--lr 1")],
        ),
        ("<pre><code>$ torchrun train.py</code></pre>", [Block(1, "             torchrun train.py")]),
        ("<pre>\ncd a\ntorchrun b.py\n</pre>\n", [Block(1, "     \ncd a\ntorchrun b.py\n")]),
        ('<pre lang="bash">\ntorchrun b.py\n</pre>', [Block(1, "                 \ntorchrun b.py\n")]),
        ('<pre lang="python">\nimport a\n</pre>', []),
        ("<!--\n<pre>torchrun train.py</pre>\n-->", []),
        ("```python\ntext = '''\n<pre>torchrun train.py</pre>\n'''\n```", []),
        ("<pre>torchrun train.py", []),
        ("<pre>\n```bash\ntorchrun b.py\n```\n</pre>", [Block(3, "torchrun b.py")]),
        ("the <pre>torchrun train.py</pre> element", []),
    ],
)
def test_a_block_of_html(page, read):
    assert list(shell_blocks(page)) == read
