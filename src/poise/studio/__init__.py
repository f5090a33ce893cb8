"""The studio: a page in a browser in which characters perform live."""
