"""The protocols: requests read, streams accumulated, oddities located. Nothing is judged and nothing repaired here."""
