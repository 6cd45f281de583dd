"""Files that are written whole or not at all, and lines of JSON whose errors name the place."""
