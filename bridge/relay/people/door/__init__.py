"""The way in: what people did is stored, judged by who did it and how late it came, and handed to whom it is for."""
