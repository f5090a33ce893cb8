"""The tables of a tree agree with the model they were made from."""

import mujoco
import numpy as np
import pytest

from bodies import body_of
from poise.dynamics.tree import BALL, HINGE, SLIDE, link_tree_of

NAMES = ["biped29", "human42", "human58", "lamp14", "dog"]


@pytest.mark.parametrize("name", NAMES)
def test_chains_are_the_models(name):
    model = body_of(name).model
    tree = link_tree_of(model)
    assert np.array_equal(tree.dof_below, model.dof_parentid)
    assert np.array_equal(tree.block_link[tree.dof_block], model.dof_bodyid)
    for link in range(1, model.nbody):
        own = np.flatnonzero(model.dof_bodyid == link)
        assert tree.link_dof[link] == (own[-1] if len(own) else tree.link_dof[model.body_parentid[link]])


@pytest.mark.parametrize("name", NAMES)
def test_blocks_cover_all_freedoms_and_coordinates_once(name):
    model = body_of(name).model
    tree = link_tree_of(model)
    coordinates = {HINGE: 1, BALL: 4, SLIDE: 3}
    ranges = zip(tree.block_dof, tree.block_size, tree.block_qpos, tree.block_kind, strict=True)
    dofs, values = [], []
    for first, size, start, kind in ranges:
        dofs += range(first, first + size)
        values += range(start, start + coordinates[int(kind)])
    assert dofs == list(range(model.nv))
    assert values == list(range(model.nq))


def test_inertias_are_turned_along_the_links():
    model = body_of("human42").model
    tree = link_tree_of(model)
    for link in range(1, model.nbody):
        matrix = np.zeros(9)
        mujoco.mju_quat2Mat(matrix, model.body_iquat[link])
        axes = matrix.reshape(3, 3)
        expected = axes @ np.diag(model.body_inertia[link]) @ axes.T
        assert np.allclose(tree.link_inertia[link], expected, atol=1e-12)
