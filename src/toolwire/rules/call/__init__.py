"""Rules about call; one a file, listed in `toolwire.rules.catalogue`."""
