import torch.nn as nn

from lantern.registry import BUILDER


class Lantern(nn.Module):
    """A language model, an eye, and a projector between them."""

    def __init__(self, llm, visual_encoder, freeze_llm=False, freeze_visual_encoder=False):
        super().__init__()
        self.llm = BUILDER.build(llm)
        self.visual_encoder = BUILDER.build(visual_encoder)
        width = self.llm.get_input_embeddings().embedding_dim
        self.projector = nn.Sequential(nn.Linear(width, width), nn.Tanh(), nn.Linear(width, width))
        if freeze_llm:
            self.llm.requires_grad_(False)
        if freeze_visual_encoder:
            self.visual_encoder.requires_grad_(False)

    def embedded(self, input_ids, pixel_values=None):
        """The words, with what is seen in the first place."""
        words = self.llm.get_input_embeddings()(input_ids)
        if pixel_values is None:
            return words
        words = words.clone()
        words[:, 0] = words[:, 0] + self.projector(self.visual_encoder(pixel_values))
        return words

    def forward(self, input_ids, labels, pixel_values=None):
        logits = self.llm(self.embedded(input_ids, pixel_values))[:, :-1]
        return nn.functional.cross_entropy(logits.flatten(0, 1), labels[:, 1:].flatten())
