"""Commands: who says which, and what each does. A module per group of commands."""
