"""The parts that studies share: cases, trials, tables, plots and the runner."""
