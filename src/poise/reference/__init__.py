"""What is tracked: motions on bodies, how files become them, and the motions that come with Poise."""
