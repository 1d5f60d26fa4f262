from .runner import Runner

__all__ = ["Runner"]
