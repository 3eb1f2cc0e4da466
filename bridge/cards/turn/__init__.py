"""A turn's cards: what the agent does and says, and what happens around it."""
