"""Rules about text; one a file, listed in `toolwire.rules.catalogue`."""
