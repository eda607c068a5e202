"""Rules about protocol; one a file, listed in `toolwire.rules.catalogue`."""
