"""Buttons: what a press is for, how it is answered, how its card is drawn anew, and asking for words."""
