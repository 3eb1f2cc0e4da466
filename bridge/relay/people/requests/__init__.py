"""Decisions: permission requests, questions and plans, from the press to the hub."""
