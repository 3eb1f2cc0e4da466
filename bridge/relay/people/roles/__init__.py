"""Roles: what each may do, who has which, and what all people are to all sessions."""
