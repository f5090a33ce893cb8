"""Studies of modal-space control [Jain2011]."""
