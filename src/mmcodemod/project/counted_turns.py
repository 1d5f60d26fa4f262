"""Runs whose transformers turns a conversation into as many tokens as its turns one by one: code that counts
turn by turn, as LLaVA's and FastChat's functions do, was written for that.

Such code takes the `<s>` before each turn for the `</s>` behind it. That fits as long as the word behind
`</s>` is cut as at the beginning of a text. Source, read in the wheels:
`models/llama/tokenization_llama.py` has no `legacy` in 4.28.1; in 4.31.0 its default is True, and with
False a word behind a special token is cut as before and loses the mark of its space alone; with False in
4.32.1 (and 4.33.0, 4.33.3, 4.34.0, 4.37.2) it is cut without that space (`USER` is one token, where it was
`▁US` and `ER`).

Run with 4.28.1, 4.31.0, 4.32.0, 4.32.1, 4.33.3, 4.34.0 and 4.37.2, with a SentencePiece model of 32,000
pieces (tokenizer.model.v1 of mistral-common 1.3.4) as a slow tokenizer of Llama: one, two and four turns of
the template of Vicuna count alike with `legacy` True, False and not said before 4.32.0; from 4.32.0 on with
False each turn but the first is one token short. Turns of the template of Llama 2 (not run in 4.32.1) and
the fast tokenizer (not run in 4.28.1) count alike in all of them. The release of tokenizers tells nothing:
4.31.0 and 4.32.0 both ran with 0.13.3. Not looked at: what the tokenizer_config.json of public checkpoints
says of `legacy`, and tokenizers that are not Llama's.
"""

from __future__ import annotations

from mmcodemod.model.context import Context
from mmcodemod.project import versions

CUTS_OTHERWISE = "4.32.0"
LIBRARY = "transformers"


def turns_counted_alike(context: Context) -> str:
    """The open fact of a run whose required transformers is older; "" for any other, and where a lower bound
    alone is required."""
    found = context.dependencies.get(LIBRARY)
    if found is None or not versions.below(context, LIBRARY, CUTS_OTHERWISE):
        return ""
    at = f" ({found.at})" if found.at else ""
    return (
        f"whether template and tokenizer agree: with {versions.stated(found)}{at} Llama's tokenizer counts "
        "the turns as such code does, and few samples differ"
    )
