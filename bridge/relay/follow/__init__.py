"""Down: what the hub tells becomes turns and requests, and these become wishes."""
