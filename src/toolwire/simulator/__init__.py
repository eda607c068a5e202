"""The simulator: a server that can send anything, for the demo and the tests."""
