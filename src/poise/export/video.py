"""Videos of a performance, H.264 in MP4: MuJoCo renders off screen, which needs OpenGL through EGL; av encodes."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter1d

from poise.arrays import Array
from poise.errors import PoiseError
from poise.export.look import SHOWN_GROUPS, Drawable, camera_azimuth, geom_colours, performer_centre, performer_span
from poise.export.strip import HORIZON, SKY, SUN, Camera, Pixels
from poise.files import write_file

SIZE = (1280, 720)  # pixels
RATE = 30  # frames per second
FOCUS_BLUR = 0.4  # Standard deviation (s) of the Gaussian that smooths the camera's path
QUALITY = "20"  # Constant rate factor of H.264: 18 is visually lossless, 28 is not


def write_video(
    recording: Drawable, path: str | Path, size: tuple[int, int] = SIZE, *, bar: Callable[[int], Iterable[int]] = range
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
    recording: Drawable, size: tuple[int, int] = SIZE, *, bar: Callable[[int], Iterable[int]] = range
) -> Iterator[Pixels]:
    """Yield frames (height, width, 3) at `RATE`, from the first state to the last."""
    clock = np.asarray(recording.time, float)
    ticks = np.arange(clock[0], clock[-1] + 0.5 / RATE, 1 / RATE)
    poses = recording.qpos[np.minimum(np.searchsorted(clock, ticks - 1e-9), len(clock) - 1)]
    model = _video_model(recording.model_xml, size)
    data = mujoco.MjData(model)
    view, way = _video_camera(model, poses[0]), _camera_path(model, data, poses)
    with _offscreen_renderer(model, size) as draw:
        for k in bar(len(poses)):
            view.lookat[:] = way[k]
            data.qpos[:] = poses[k]
            mujoco.mj_kinematics(model, data)
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
    model.geom_rgba[:] = geom_colours(model)
    return model


def _video_camera(model: Any, first: Array) -> Any:
    """The same camera as in strips of pictures."""
    own = Camera(azimuth=camera_azimuth(model, first))
    view = mujoco.MjvCamera()
    view.type = mujoco.mjtCamera.mjCAMERA_FREE
    view.azimuth, view.elevation = own.azimuth + 180.0, -own.elevation  # MuJoCo's angles are those of the line of sight
    view.distance = own.distance * performer_span(model, first)
    return view


def _camera_path(model: Any, data: Any, poses: Array) -> Array:
    """Targets (frames, 3) of the camera: the performers' centre of mass, smoothed."""
    centres = np.empty((len(poses), 3))
    for centre, pose in zip(centres, poses, strict=True):
        data.qpos[:] = pose
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        centre[:] = performer_centre(model, data)
    return np.asarray(gaussian_filter1d(centres, FOCUS_BLUR * RATE, axis=0, mode="nearest"))


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
    option.geomgroup[:] = SHOWN_GROUPS
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
