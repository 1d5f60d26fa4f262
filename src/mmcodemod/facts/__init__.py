"""Facts: what the text of one file says, nothing that needs another file."""
