"""What a change does to the findings of a tree, and how a forge is told."""
