"""Modules that libraries have no more, by the first release without them.

Source: torch, pytorch/pytorch#94709 (`No module named 'torch._six'` with 2.0.0: InternLM/InternLM#109).
"""

from __future__ import annotations

MODULES_GONE = {"torch": {"2.0.0": "torch._six "}}
