"""The project model: modules, calls and training contexts, built from the facts of all files."""
