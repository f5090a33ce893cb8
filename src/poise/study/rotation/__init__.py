"""Studies of rotational behaviours [Zordan2014], and the tuning of behaviours."""
