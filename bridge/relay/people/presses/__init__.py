"""Buttons: what a press is for, whether it counts, and asking for words."""
