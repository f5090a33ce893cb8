"""Import of motion files with detection, repair and report of their common faults."""
