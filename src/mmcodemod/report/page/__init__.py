"""The report as one page for a browser: it loads nothing, and all of it can be read without its script."""
