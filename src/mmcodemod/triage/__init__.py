"""Reads the log of a run that died, and says which places of the repository can have caused it."""
