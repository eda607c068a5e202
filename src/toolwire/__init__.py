"""toolwire: do a server's streamed tool calls reach the client whole?

The public names are the pure half: read an exchange, judge it, look at the findings.
"""

from __future__ import annotations

__all__ = ["__version__"]

__version__ = "0.1.0"
