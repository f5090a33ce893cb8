"""Controllers: one room per paper, and two plain ones to begin with."""
