"""The cards of permission requests, questions and plans: what is asked, and what may be pressed."""
