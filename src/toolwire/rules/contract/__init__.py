"""Rules about contract; one a file, listed in `toolwire.rules.catalogue`."""
