"""The vocabulary: places, findings, fixes, rules and contexts. Knows nothing of the rest."""
