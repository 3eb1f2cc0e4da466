"""People's messages: whom they are for, and their way to the hub, until the agent has taken them; what came late."""
