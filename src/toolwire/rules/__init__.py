"""The rules. Each is one file; `catalogue` is the one explicit list. No rule imports another."""
