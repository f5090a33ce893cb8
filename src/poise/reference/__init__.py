"""References: motions of a body that controllers track. Also the files that hold prepared motions."""
