"""What studies are made of: cases, trials, tables, plots."""
