"""The studio: a web page in which characters perform live."""
