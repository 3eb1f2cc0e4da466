"""What people look at in a session's directory."""
