"""Who else is there: invitations, roles, and the log of who did what."""
