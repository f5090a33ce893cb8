"""Modal-space control [Jain2011]: long plans for few and decoupled modes, at every step anew."""
