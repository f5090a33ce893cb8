"""Import that repairs: what motion files get wrong, found, mended and reported."""
