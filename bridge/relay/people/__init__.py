"""Up: what people write and press becomes says and decisions, and these go to the hub."""
