"""All that happened in a performance, as one self-contained file without pickles."""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from poise.errors import PoiseError
from poise.files import write_file

Array = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Recording:
    """States at T + 1 times, what was applied in the T steps between, and N contact forces."""

    model_xml: str  # MJCF of the whole scene; loads with MuJoCo and nothing else
    time: Array  # (T+1,) s
    qpos: Array  # (T+1, nq)
    qvel: Array  # (T+1, nv)
    torque: Array  # (T, nv) joint actuation in step k -> k+1, zero on free roots
    external: Array  # (T, nv) everything else that was applied: pushes, stabilisers
    contact_step: Ints  # (N,)
    contact_body: Ints  # (N,) the force acts on this body
    contact_other: Ints  # (N,)
    contact_point: Array  # (N, 3) m, world, at the start of the step
    contact_normal: Array  # (N, 3) out of `contact_other`
    contact_force: Array  # (N, 3) N, world
    contact_friction: Array  # (N,)
    contact_kind: Ints  # (N,) 0 unilateral, 1 grip
    reference_qpos: Array | None  # (T+1, nq) what was tracked
    meta: dict[str, Any]

    @property
    def steps(self) -> int:
        """T."""
        return len(self.torque)

    @property
    def step(self) -> float:
        """Duration of a step, s."""
        return float(self.meta["step"])

    @cached_property
    def model(self) -> mujoco.MjModel:
        """The scene, compiled."""
        try:
            return mujoco.MjModel.from_xml_string(self.model_xml)
        except ValueError as error:
            raise PoiseError("the recording's model does not load: " + " ".join(str(error).split())) from None

    def save(self, path: Path) -> None:
        """Write the file, whole or not at all."""
        arrays = {name: getattr(self, name) for name in ARRAYS if getattr(self, name) is not None}
        arrays["model_xml"] = np.array(self.model_xml)
        arrays["meta"] = np.array(json.dumps(self.meta))
        buffer = io.BytesIO()
        np.savez_compressed(buffer, **arrays)
        write_file(Path(path), buffer.getvalue())

    @classmethod
    def load(cls, path: Path) -> Recording:
        """Read a recording; a file that is not one gives a one-line error."""
        try:
            with np.load(path, allow_pickle=False) as file:
                data = {name: file[name] for name in file.files}
            missing = [n for n in (*ARRAYS, "model_xml", "meta") if n not in data and n != "reference_qpos"]
            if missing:
                raise PoiseError(f"{path} is not a recording: it lacks {', '.join(missing)}")
            meta = json.loads(str(data["meta"]))
        except OSError as error:
            raise PoiseError(f"cannot read {path}: {error.strerror or error}") from None
        except (ValueError, zipfile.BadZipFile, EOFError, KeyError):
            raise PoiseError(f"{path} is not a recording (a NumPy .npz file without pickles)") from None
        arrays: dict[str, Any] = {name: data.get(name) for name in ARRAYS}
        return cls(model_xml=str(data["model_xml"]), meta=meta, **arrays)


ARRAYS = (
    "time",
    "qpos",
    "qvel",
    "torque",
    "external",
    "contact_step",
    "contact_body",
    "contact_other",
    "contact_point",
    "contact_normal",
    "contact_force",
    "contact_friction",
    "contact_kind",
    "reference_qpos",
)
