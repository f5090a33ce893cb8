"""Run by Blender's Python: import a motion file as an animator would, and print as JSON what is there.

    python look.py FILE RATE METRES_PER_UNIT

RATE is set on the scene before the import: glTF and USD files are placed on its frames. METRES_PER_UNIT is for BVH
files, which say nothing about it.
"""

import contextlib
import json
import os
import sys

import bpy
from mathutils import Matrix

IMPORTS = {
    "bvh": lambda path, unit: bpy.ops.import_anim.bvh(
        filepath=path,
        global_scale=unit,
        axis_forward="-Z",
        axis_up="Y",
        use_fps_scale=False,
        update_scene_fps=True,
        update_scene_duration=True,
    ),
    "glb": lambda path, unit: bpy.ops.import_scene.gltf(filepath=path),
    "usd": lambda path, unit: bpy.ops.wm.usd_import(filepath=path),
}
BLENDER_TO_OURS = Matrix(((0, -1, 0), (1, 0, 0), (0, 0, 1)))  # the figure faces -y there, +x here


def main(path, rate, unit):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.fps, scene.render.fps_base = round(rate), round(rate) / rate
    IMPORTS[os.path.splitext(path)[1][1:4]](path, unit)
    armature = next(item for item in scene.objects if item.type == "ARMATURE")
    first, last = armature.animation_data.action.frame_range
    count = round(last - first) + 1
    shown = sorted({round(k * (count - 1) / 9) for k in range(10)})
    return {
        "bones": [bone.name for bone in armature.data.bones],
        "frames": count,
        "rate": scene.render.fps / scene.render.fps_base,
        "meshes": sum(item.type == "MESH" for item in scene.objects),
        "shown": shown,
        "heads": [heads(armature, first + k) for k in shown],
    }


def heads(armature, frame):
    """Where each bone begins, in metres, x forward and z up."""
    bpy.context.scene.frame_set(int(frame), subframe=frame % 1)
    solid = armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return {bone.name: list(BLENDER_TO_OURS @ (solid.matrix_world @ bone.head)) for bone in solid.pose.bones}


if __name__ == "__main__":
    with contextlib.redirect_stdout(sys.stderr):
        found = main(sys.argv[1], float(sys.argv[2]), float(sys.argv[3]))
    sys.stdout.write("\n" + json.dumps(found) + "\n")
