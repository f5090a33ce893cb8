"""Pictures of a performance: strips, drawn without OpenGL, and videos, which MuJoCo renders off screen through EGL."""

import io
import struct
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.ndimage import gaussian_filter1d

from poise.arrays import Array
from poise.errors import PoiseError
from poise.export import look
from poise.files import write_file
from poise.reference.body_clip import posed_model_data

Pixels = NDArray[np.uint8]

FLOORS = (mujoco.mjtGeom.mjGEOM_PLANE, mujoco.mjtGeom.mjGEOM_HFIELD)
SKY, HORIZON = np.array([0.965, 0.973, 0.980]), np.array([0.894, 0.914, 0.933])
SUN = np.array([1.1, -0.9, 2.6])


@dataclass(frozen=True)
class Camera:
    """The camera's position around the performer."""

    azimuth: float = -52.0  # degrees
    elevation: float = 13.0  # degrees
    distance: float = 2.8  # in sizes of the performer
    field: float = 26.0  # degrees, vertical field of view


def write_strip(
    recording: look.Drawable, path: str | Path, columns: int = 6, size: tuple[int, int] = (320, 320),
    *, times: Sequence[float] | None = None, camera: Camera | None = None,
) -> Path:  # fmt: skip
    """Write a PNG of frames of `size` (width, height), `columns` to a row.

    Without `times` (seconds) there is one row, evenly spaced from the first state to the last.
    """
    clock = np.asarray(recording.time, dtype=np.float64)
    wanted = np.linspace(clock[0], clock[-1], max(0, columns)) if times is None else np.asarray(times)
    if columns < 1 or min(size) < 1 or len(wanted) < 1:
        raise PoiseError("a strip needs at least one frame, one column and one pixel")
    shown = [int(np.abs(clock - t).argmin()) for t in wanted]
    model = look.visible_model(recording.model_xml)
    span = look.performer_span(model, recording.qpos[0])
    camera = camera or Camera(azimuth=look.camera_azimuth(model, recording.qpos[0]))
    with ThreadPoolExecutor() as pool:
        draw = partial(render_pose, model, size=size, camera=camera, span=span)
        frames = list(pool.map(draw, [recording.qpos[k] for k in shown]))
    per_row = min(columns, len(frames))
    frames += [np.full_like(frames[0], 255)] * (-len(frames) % per_row)
    rows = [np.hstack(frames[k : k + per_row]) for k in range(0, len(frames), per_row)]
    return write_file(Path(path), png_bytes(np.vstack(rows)))


def render_pose(
    model: Any, qpos: ArrayLike, size: tuple[int, int] = (320, 320),
    *, camera: Camera | None = None, focus: ArrayLike | None = None, span: float | None = None,
) -> Pixels:  # fmt: skip
    """Draw one pose as an image (height, width, 3); the camera looks at `focus` or the performers' centre of mass.

    Pixels at edges are sampled four more times.
    """
    camera = camera or Camera()
    data = look.data_of_pose(model, qpos)
    span = look.performer_span(model, data.qpos) if span is None else span
    target = look.performer_centre(model, data) if focus is None else np.asarray(focus, dtype=np.float64)
    shot = _RayCaster(model, data, camera, target, span, size)

    width, height = size
    column, row = np.meshgrid(np.arange(width) + 0.5, np.arange(height) + 0.5)
    coarse, ids = shot.colour(column.ravel(), row.ravel())
    image = coarse.reshape(height, width, 3)
    edge = _edge_pixels(image, ids.reshape(height, width))
    fine = np.zeros((int(edge.sum()), 3))
    offsets = (-0.375, -0.125, 0.125, 0.375)
    for dx, dy in zip(offsets, (0.125, -0.375, 0.375, -0.125), strict=True):  # rotated grid of four samples
        fine += shot.colour(column[edge] + dx, row[edge] + dy)[0] / len(offsets)
    image[edge] = fine
    return np.rint(255 * np.clip(image, 0, 1)).astype(np.uint8)


class _RayCaster:
    """A scene seen by a camera; gives the colour at any point of the picture."""

    def __init__(
        self, model: Any, data: Any, camera: Camera, target: Array, span: float, size: tuple[int, int]
    ) -> None:
        azimuth, elevation = np.radians([camera.azimuth, camera.elevation])
        out = np.array([np.cos(elevation) * np.cos(azimuth), np.cos(elevation) * np.sin(azimuth), np.sin(elevation)])
        right = np.array([-np.sin(azimuth), np.cos(azimuth), 0.0])
        self.model, self.data, self.span, self.size = model, data, span, size
        self.eye = target + camera.distance * span * out
        self.axes = np.stack([right, np.cross(out, right), -out])  # right, up, forward
        self.scale = np.tan(np.radians(camera.field) / 2)
        self.pixel = 2 * self.scale / min(size)  # radians
        self.light = target + 8 * span * SUN / np.linalg.norm(SUN)
        self.colours = look.geom_colours(model)[:, :3]
        fixed = model.body_weldid[model.geom_bodyid] == 0
        self.gridded = np.isin(model.geom_type, FLOORS)
        self.ruled = self.gridded | (fixed & (model.geom_type == mujoco.mjtGeom.mjGEOM_BOX))

    def colour(self, column: Array, row: Array) -> tuple[Array, NDArray[np.int32]]:
        """Colours (n, 3) and geom ids (n,; -1 for the sky) at points of the picture, in pixels."""
        width, height = self.size
        across, up = (column - width / 2) * self.pixel, (height / 2 - row) * self.pixel
        rays = np.stack([across, up, np.ones_like(up)], axis=1) @ self.axes
        rays /= np.linalg.norm(rays, axis=1, keepdims=True)
        distance, ids, normal = self._cast(self.eye, rays, static=True)
        hit = ids >= 0
        colour = HORIZON + np.clip(2.5 * rays[:, 2:], 0, 1) * (SKY - HORIZON)
        point = self.eye + distance[hit, None] * rays[hit]
        haze = np.clip((distance[hit, None] / self.span - 9) / 21, 0, 1)
        colour[hit] = (1 - haze) * self._shade(point, normal[hit], ids[hit]) + haze * HORIZON
        return colour, ids

    def _shade(self, point: Array, normal: Array, ids: NDArray[np.int32]) -> Array:
        """Colours (n, 3) of the points under sky light, and under sunlight where no shadow falls."""
        albedo = self.colours[ids] ** 2.2
        ruled = self.ruled[ids]
        albedo[ruled] *= self._pattern(point[ruled], ids[ruled])[:, None]
        facing = normal @ (SUN / np.linalg.norm(SUN))
        sun = np.clip(facing, 0, 1) * self._lit(point, facing)
        sky = 0.50 + 0.16 * normal[:, 2]
        return np.asarray((albedo * (sky + 0.44 * sun)[:, None]) ** (1 / 2.2))

    def _pattern(self, point: Array, ids: NDArray[np.int32]) -> Array:
        """Brightness factor (n,) of drawn lines: a grid in metres on the floor, outlines on terrain boxes."""
        frame = self.data.geom_xmat[ids].reshape(-1, 3, 3)
        local = np.einsum("nij,ni->nj", frame, point - self.data.geom_xpos[ids])
        sight = point - self.eye
        distance = np.linalg.norm(sight, axis=1)
        slant = np.clip(np.abs(np.einsum("ni,ni->n", sight, frame[:, :, 2])) / distance, 0.02, 1)
        pixel = distance * self.pixel / np.sqrt(slant)  # m, approximate width covered by a pixel

        def line(off: Array, half_width: float) -> Array:
            share = np.clip((half_width - off) / pixel + 0.5, 0, np.minimum(1, 2 * half_width / pixel))
            return np.asarray(share * np.exp(-((distance / (9 * self.span)) ** 2)))

        metre, quarter = (np.abs(local - d * np.rint(local / d))[:, :2].min(axis=1) for d in (1.0, 0.25))
        edge = np.sort(self.model.geom_size[ids] - np.abs(local), axis=1)[:, 1]
        grid = 0.26 * line(metre, 0.010) + 0.05 * line(quarter, 0.004)
        return np.asarray(1 - np.where(self.gridded[ids], grid, 0.45 * line(edge, 0.006)))

    def _lit(self, point: Array, facing: Array) -> Array:
        """Share (n,) of the lamp that each point sees; with a height field, only moving bodies cast shadows."""
        seen = np.zeros(len(point))
        asked = facing > 0
        lamps = 0.2 * self.span * np.array([[1, 0, 0], [0, 1, 0], [-1, 0, 0], [0, -1, 0]])
        for lamp in self.light + lamps:
            way = point[asked] - lamp
            length = np.linalg.norm(way, axis=1)
            distance, ids, _ = self._cast(lamp, way / length[:, None], static=self.model.nhfield == 0)
            seen[asked] += ((ids < 0) | (distance > length - 0.004 * self.span)) / len(lamps)
        return seen

    def _cast(self, origin: Array, rays: Array, static: bool) -> tuple[Array, NDArray[np.int32], Array]:
        """Distances, geom ids and normals of the nearest drawn surfaces along unit `rays` (n, 3)."""
        count = len(rays)
        ids, distance, normal = np.full(count, -1, np.int32), np.zeros(count), np.zeros(3 * count)
        if count:
            found = (ids, distance, normal, count, 1e4)
            mujoco.mj_multiRay(self.model, self.data, origin, rays.ravel(), look.SHOWN_GROUPS, static, -1, *found)
        return distance, ids, normal.reshape(count, 3)


def _edge_pixels(image: Array, ids: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Mask (height, width) of pixels that differ from a neighbour in geom or clearly in colour."""
    edge = np.zeros(ids.shape, dtype=np.bool_)
    for axis in (0, 1):
        step = (np.abs(np.diff(image, axis=axis)).max(axis=2) > 0.06) | (np.diff(ids, axis=axis) != 0)
        along = edge.T if axis else edge  # a view whose rows lie along the axis
        along[:-1] |= step.T if axis else step
        along[1:] |= step.T if axis else step
    return edge


def png_bytes(image: Pixels) -> bytes:
    """Encode an RGB image (height, width, 3) as a PNG file."""
    height, width, _ = image.shape

    def chunk(tag: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + tag + body + struct.pack(">I", zlib.crc32(tag + body))

    rows = np.hstack([np.zeros((height, 1), np.uint8), image.reshape(height, 3 * width)])
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows.tobytes(), 9)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


SIZE = (1280, 720)  # pixels
RATE = 30  # frames per second
FOCUS_BLUR = 0.4  # Standard deviation (s) of the Gaussian that smooths the camera's path
QUALITY = "20"  # Constant rate factor of H.264: 18 is visually lossless, 28 is not


def write_video(
    recording: look.Drawable,
    path: str | Path,
    size: tuple[int, int] = SIZE,
    *,
    bar: Callable[[int], Iterable[int]] = range,
) -> Path:
    """Write an MP4 of frames of `size` (width, height) in real time; `bar` counts the frames."""
    try:
        import av
    except ImportError:
        raise PoiseError("writing MP4 needs av: pip install 'poise[video]'") from None
    film = io.BytesIO()
    with av.open(film, "w", format="mp4") as container:
        stream = container.add_stream("libx264", rate=RATE, options={"crf": QUALITY})
        stream.width, stream.height, stream.pix_fmt = *size, "yuv420p"
        for picture in video_frames(recording, size, bar=bar):
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
        container.mux(stream.encode())
    return write_file(Path(path), film.getvalue())


def video_frames(
    recording: look.Drawable, size: tuple[int, int] = SIZE, *, bar: Callable[[int], Iterable[int]] = range
) -> Iterator[Pixels]:
    """Yield frames (height, width, 3) at `RATE`, from the first state to the last."""
    clock = np.asarray(recording.time, float)
    ticks = np.arange(clock[0], clock[-1] + 0.5 / RATE, 1 / RATE)
    poses = recording.qpos[np.minimum(np.searchsorted(clock, ticks - 1e-9), len(clock) - 1)]
    model = _video_model(recording.model_xml, size)
    view, posed = _video_camera(model, poses[0]), posed_model_data(model, poses)
    centres = [look.performer_centre(model, data) for data in posed_model_data(model, poses)]
    way = gaussian_filter1d(centres, FOCUS_BLUR * RATE, axis=0, mode="nearest")
    with _offscreen_renderer(model, size) as draw:
        for k in bar(len(poses)):
            view.lookat[:] = way[k]
            data = next(posed)
            mujoco.mj_camlight(model, data)
            yield draw(data, view)


def _video_model(xml: str, size: tuple[int, int]) -> Any:
    """Compile the scene with sky, sun, a grid on the floor that shows its speed, and the default colours."""
    spec = mujoco.MjSpec.from_string(xml)
    whole = getattr(spec.visual, "global")
    whole.offwidth, whole.offheight, whole.fovy = *size, Camera().field
    light = spec.visual.headlight
    light.ambient, light.diffuse, light.specular = [0.4] * 3, [0.2] * 3, [0.0] * 3
    spec.visual.quality.shadowsize = 2048
    texture, builtin = mujoco.mjtTexture, mujoco.mjtBuiltin
    sky = spec.add_texture(name="poise:sky", type=texture.mjTEXTURE_SKYBOX, builtin=builtin.mjBUILTIN_GRADIENT)
    sky.rgb1, sky.rgb2, sky.width, sky.height = SKY, HORIZON, 256, 1536
    grid = spec.add_texture(name="poise:grid", type=texture.mjTEXTURE_2D, builtin=builtin.mjBUILTIN_FLAT)
    grid.mark, grid.rgb1, grid.markrgb = mujoco.mjtMark.mjMARK_EDGE, [1.0] * 3, [0.8] * 3
    grid.width = grid.height = 256
    floor = spec.add_material(name="poise:floor", texuniform=True, texrepeat=[1.0, 1.0], specular=0.0)
    floor.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = grid.name
    for geom in spec.worldbody.geoms:
        if geom.type == mujoco.mjtGeom.mjGEOM_PLANE and not geom.material:
            geom.material = floor.name
    sun = spec.worldbody.add_light(name="poise:sun", type=mujoco.mjtLightType.mjLIGHT_DIRECTIONAL, castshadow=True)
    sun.pos, sun.dir, sun.diffuse, sun.specular = 8 * SUN, -SUN / np.linalg.norm(SUN), [0.5] * 3, [0.1] * 3
    model = spec.compile()
    model.geom_rgba[:] = look.geom_colours(model)
    return model


def _video_camera(model: Any, first: Array) -> Any:
    """MuJoCo's camera with the direction and distance of `Camera`, as in strips of pictures."""
    own = Camera(azimuth=look.camera_azimuth(model, first))
    view = mujoco.MjvCamera()
    view.type = mujoco.mjtCamera.mjCAMERA_FREE
    view.azimuth, view.elevation = own.azimuth + 180.0, -own.elevation  # MuJoCo's angles are those of the line of sight
    view.distance = own.distance * look.performer_span(model, first)
    return view


@contextmanager
def _offscreen_renderer(model: Any, size: tuple[int, int]) -> Iterator[Callable[[Any, Any], Pixels]]:
    """Provide a function that draws a state as a camera sees it; graphics resources are freed at the end."""
    try:
        from mujoco.egl import GLContext

        graphics = GLContext(*size)
    except Exception as error:  # the kind depends on what is missing
        cause = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise PoiseError(f"drawing a video needs OpenGL through EGL (apt install libegl1): {cause}") from None
    graphics.make_current()
    context = mujoco.MjrContext(model, mujoco.mjtFontScale.mjFONTSCALE_100)
    mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN, context)
    scene, option = mujoco.MjvScene(model, 2000), mujoco.MjvOption()
    option.geomgroup[:] = look.SHOWN_GROUPS
    whole = mujoco.MjrRect(0, 0, *size)
    pixels: NDArray[np.uint8] = np.empty((size[1], size[0], 3), np.uint8)

    def draw(data: Any, view: Any) -> Pixels:
        mujoco.mjv_updateScene(model, data, option, None, view, mujoco.mjtCatBit.mjCAT_ALL, scene)
        mujoco.mjr_render(whole, scene, context)
        mujoco.mjr_readPixels(pixels, None, whole, context)
        return np.flipud(pixels).copy()

    try:
        yield draw
    finally:
        context.free()
        graphics.free()
