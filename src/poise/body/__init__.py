"""Bodies: characters as MJCF with additional data, generated from tables or skeletons, or read from a user's MJCF."""
