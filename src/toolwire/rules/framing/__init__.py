"""Rules about framing; one a file, listed in `toolwire.rules.catalogue`."""
