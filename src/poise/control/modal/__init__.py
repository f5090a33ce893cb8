"""Modal-space control [Jain2011]: long-horizon plans for rigid body and low-frequency modes, anew at every step."""
