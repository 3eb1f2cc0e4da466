"""Commands: what one is, how it is answered, and those about the bridge itself."""
