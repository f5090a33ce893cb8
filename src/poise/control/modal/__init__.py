"""Modal-space control [Jain2011]: long-horizon plans for rigid body and low-frequency modes, made at every step."""
