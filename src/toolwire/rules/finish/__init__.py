"""Rules about finish; one a file, listed in `toolwire.rules.catalogue`."""
