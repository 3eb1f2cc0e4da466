"""Where sessions are shown, and the bot's own page."""
