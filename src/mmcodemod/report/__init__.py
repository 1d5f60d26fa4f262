"""Reporters: a Report becomes text. They know the model and nothing of how a report is made."""
