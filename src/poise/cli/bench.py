"""`poise bench`."""

import argparse
from dataclasses import asdict
from typing import Any

from poise.cli.command import Report, add_command


def add(commands: Any) -> None:
    """Add `poise bench` and its options to the commands."""
    what = "measure the speed of a step, relative to MuJoCo's own step on the same body"
    command = add_command(commands, "bench", _run_bench, what, "poise bench --steps 2000")
    command.add_argument("--steps", type=int, default=1000, help="number of steps to time in each case")


def _run_bench(chosen: argparse.Namespace) -> Report:
    from poise.cli.step_speed import WALKS, bench, bench_walking_speed

    rows = bench(chosen.steps)
    lines = [f"{'case':30} {'contacts':>8} {'poise us':>9} {'mj_step us':>10} {'ratio':>6} {'bound':>6}"]
    lines += [
        f"{row.case:30} {row.contacts:8d} {row.poise_us:9.1f} {row.mujoco_us:10.1f} {row.ratio:6.2f} {row.bound:6.1f}"
        for row in rows
    ]
    speeds = {walk.name: bench_walking_speed(walk, chosen.steps) for walk in WALKS}
    lines += [
        f"{walk.name}: {speeds[walk.name]:.0f} times real time, with recording (bound: at least {walk.fast:g})"
        for walk in WALKS
    ]
    cases = [{**asdict(row), "ratio": row.ratio} for row in rows]
    return Report("\n".join(lines), {"cases": cases, "real_time_factor": speeds})
