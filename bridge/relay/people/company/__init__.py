"""Who else is there: invitations, roles, who is refused, and the log of who did what."""
