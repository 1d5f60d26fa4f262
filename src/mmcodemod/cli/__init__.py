"""The command line: parse options, call the pipeline, print, exit. No logic."""
