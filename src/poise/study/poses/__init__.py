"""Studies of pose control [Fattal2006]."""
