"""What a person does to sessions: list, open, start, resume, rename, set, read back, export. A module per matter.

Each group gives commands and button presses alike. What a card needs to go on is in its buttons' acts, or in the store:
after a restart every card still works.
"""
