"""Fingerprints belong to the model; reporters find them here."""

from mmcodemod.model.fingerprint import fingerprints, identity

__all__ = ["fingerprints", "identity"]
