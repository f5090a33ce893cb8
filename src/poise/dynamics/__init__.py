"""The equations of motion: their terms, centroidal momentum, and the values that pass between parts."""
