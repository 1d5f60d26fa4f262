"""Proof by execution: does a showcase fail as documented, and does it train once `mmcodemod fix` has run?"""
