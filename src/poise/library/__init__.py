"""What comes with Poise: authored motions, behaviours, steps that can be steered."""
