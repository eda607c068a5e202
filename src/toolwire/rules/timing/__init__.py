"""Rules about timing; one a file, listed in `toolwire.rules.catalogue`."""
