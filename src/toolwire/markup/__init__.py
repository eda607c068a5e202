"""Markup of tool calls in text: which families there are, and whether a call leaked.

Families are data: one TOML file each in `families/`. The scanner looks at joined text only.
"""

from __future__ import annotations

from toolwire.markup.families import Example, ExampleCall, Family, families
from toolwire.markup.model import EMPTY, Excuse, LeakedCall, Mark, Scan, Strength
from toolwire.markup.scanner import scan
from toolwire.markup.values import reasoning_marks, scan_value, turn_marks

__all__ = [
    "EMPTY",
    "Example",
    "ExampleCall",
    "Excuse",
    "Family",
    "LeakedCall",
    "Mark",
    "Scan",
    "Strength",
    "families",
    "reasoning_marks",
    "scan",
    "scan_value",
    "turn_marks",
]
