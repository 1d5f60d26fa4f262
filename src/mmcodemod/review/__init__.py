"""What a change does to the findings of a tree, and the comments that say so."""
