"""Cards about sessions: lists, settings, starting one, reading one back, its files."""
