"""Bodies: characters as MJCF plus what MJCF does not say, generated from tables or read from a user's file."""
