"""The bridge's own cards: help, the home post, answers to commands, what became of a message."""
