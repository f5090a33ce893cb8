"""Rotations obey the laws of the group, whichever way they are written."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays

from poise import rotations as s

coordinate = st.floats(-3.0, 3.0)
vectors = arrays(float, 3, elements=coordinate)
short = vectors.map(lambda v: v if np.linalg.norm(v) < 3.1 else v * 3.1 / np.linalg.norm(v))
quats = vectors.map(s.quat_exp)
orders = st.sampled_from(["XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX", "XYX", "XZX", "YXY", "YZY", "ZXZ", "ZYZ"])
close = {"atol": 1e-9}


def mirror_quat(q):
    """Orientations reflected across the x-z plane: S R S with S = diag(1, -1, 1)."""
    return q * np.array([1.0, -1.0, 1.0, -1.0])


def euler_to_matrix(angles, order):
    """The product of the rotations about single axes, independent of `euler_to_quat`: "ZXY" gives Rz Rx Ry."""
    angles = np.asarray(angles, float)
    matrix = np.eye(3)
    for k, axis in enumerate(order):
        matrix = matrix @ s.quat_to_matrix(s.quat_from_axis_angle(np.eye(3)["XYZ".index(axis)], angles[..., k]))
    return matrix


@given(short)
def test_log_undoes_exp(r):
    np.testing.assert_allclose(s.quat_log(s.quat_exp(r)), r, **close)


@given(st.floats(1e-12, 1e-6))
def test_log_and_exp_keep_tiny_turns(size):
    r = np.array([size, -size, 2 * size])
    np.testing.assert_allclose(s.quat_log(s.quat_exp(r)), r, rtol=1e-9)


@given(quats)
def test_log_takes_the_shorter_way(q):
    np.testing.assert_allclose(s.quat_log(-q), s.quat_log(q), **close)
    assert np.linalg.norm(s.quat_log(q)) <= np.pi + 1e-9


@given(quats, quats, quats)
def test_multiplication_is_associative_with_inverse(a, b, c):
    left = s.quat_multiply(s.quat_multiply(a, b), c)
    np.testing.assert_allclose(left, s.quat_multiply(a, s.quat_multiply(b, c)), **close)
    np.testing.assert_allclose(s.quat_multiply(a, s.quat_conjugate(a)), [1, 0, 0, 0], **close)


@given(quats, quats, vectors)
def test_matrices_and_quaternions_turn_alike(a, b, v):
    product = s.quat_to_matrix(a) @ s.quat_to_matrix(b)
    np.testing.assert_allclose(s.quat_to_matrix(s.quat_multiply(a, b)), product, **close)
    np.testing.assert_allclose(s.quat_rotate(a, v), s.quat_to_matrix(a) @ v, **close)


@given(quats)
def test_matrix_and_back(q):
    matrix = s.quat_to_matrix(q)
    back = s.matrix_to_quat(matrix)
    assert back[0] >= 0
    np.testing.assert_allclose(s.quat_to_matrix(back), matrix, **close)


@given(quats, quats, vectors)
def test_mirroring_respects_turning(a, b, v):
    np.testing.assert_allclose(
        mirror_quat(s.quat_multiply(a, b)), s.quat_multiply(mirror_quat(a), mirror_quat(b)), **close
    )
    np.testing.assert_allclose(
        s.mirror_vector(s.quat_rotate(a, v)), s.quat_rotate(mirror_quat(a), s.mirror_vector(v)), **close
    )
    np.testing.assert_allclose(s.quat_exp(s.mirror_axial(v)), mirror_quat(s.quat_exp(v)), **close)


@given(quats, orders)
def test_euler_and_back(q, order):
    matrix = s.quat_to_matrix(q)
    np.testing.assert_allclose(euler_to_matrix(s.matrix_to_euler(matrix, order), order), matrix, atol=1e-7)


@given(st.lists(st.floats(-7, 7), max_size=5), st.data())
def test_euler_to_quat_is_euler_to_matrix(angles, data):
    order = data.draw(st.text("XYZ", min_size=len(angles), max_size=len(angles)))
    np.testing.assert_allclose(
        s.quat_to_matrix(s.euler_to_quat(angles, order)), euler_to_matrix(angles, order), atol=1e-12
    )


@given(st.floats(-3, 3), st.floats(-3, 3), orders, st.sampled_from([-1, 1]))
def test_euler_in_gimbal_lock(first, last, order, sign):
    parallel = np.pi / 2 * (1 - sign) if order[0] == order[2] else sign * np.pi / 2
    matrix = euler_to_matrix([first, parallel, last], order)
    np.testing.assert_allclose(euler_to_matrix(s.matrix_to_euler(matrix, order), order), matrix, atol=1e-7)


def test_euler_order_is_intrinsic():
    z, x = s.quat_from_axis_angle([0, 0, 1], 0.3), s.quat_from_axis_angle([1, 0, 0], 0.5)
    expected = s.quat_to_matrix(s.quat_multiply(z, x))
    np.testing.assert_allclose(euler_to_matrix([0.3, 0.5, 0.0], "ZXY"), expected, **close)


def test_leading_axes_are_kept():
    q = s.quat_exp(np.random.default_rng(0).normal(size=(4, 5, 3)))
    assert s.quat_to_matrix(q).shape == (4, 5, 3, 3)
    np.testing.assert_allclose(s.quat_log(q)[2, 3], s.quat_log(q[2, 3]), **close)
    np.testing.assert_allclose(s.matrix_to_quat(s.quat_to_matrix(q))[1, 4], s.matrix_to_quat(s.quat_to_matrix(q[1, 4])))
    assert s.quat_rotate(q, [1.0, 0, 0]).shape == (4, 5, 3)
    assert s.matrix_to_euler(s.quat_to_matrix(q), "ZXY").shape == (4, 5, 3)


def test_bad_orders_are_named():
    with pytest.raises(ValueError, match="ABC"):
        s.euler_to_quat([0, 0, 0], "ABC")
    for order in ("ZZX", "XZZ", "ZX", "XYZX"):
        with pytest.raises(ValueError, match=order):
            s.matrix_to_euler(np.eye(3), order)


def test_continuous_euler_curves_are_the_same_turns_without_jumps():
    """A limb that swings through the pole, where the first decomposition jumps by half a turn."""
    time = np.linspace(0, 1, 200)
    turns = s.quat_to_matrix(s.quat_exp(np.stack([2.5 * time, 0.4 * np.sin(9 * time), 0.3 + 0 * time], axis=-1)))
    jumpy = s.matrix_to_euler(turns, "ZXY")
    smooth = s.continuous_euler(jumpy, "ZXY")
    assert np.abs(np.diff(jumpy, axis=0)).max() > 1
    assert np.abs(np.diff(smooth, axis=0)).max() < 0.5
    assert np.abs(euler_to_matrix(smooth, "ZXY") - turns).max() < 1e-12


@given(orders, st.sampled_from([-1, 1]), st.floats(-3, 3), st.floats(-3, 3))
def test_curves_go_smoothly_through_gimbal_lock(order, sign, first, last):
    """The middle axis passes the pole, and one frame lies exactly on it."""
    pole = np.pi / 2 * (1 - sign) if order[0] == order[2] else sign * np.pi / 2
    time = np.linspace(-1, 1, 41)
    angles = np.stack([first + 0.2 * time, pole + time, last - 0.5 * time], axis=-1)
    turns = euler_to_matrix(angles, order)
    smooth = s.continuous_euler(s.matrix_to_euler(turns, order), order)
    assert np.abs(np.diff(smooth, axis=0)).max() < 0.1
    assert np.abs(euler_to_matrix(smooth, order) - turns).max() < 1e-7


@given(arrays(float, (20, 2, 3), elements=st.floats(-0.1, 0.1)), st.integers(0, 2**32 - 1))
def test_continuous_quaternions_are_the_same_turns_without_jumps(steps, seed):
    smooth = s.quat_exp(np.cumsum(steps, axis=0))
    signs = np.random.default_rng(seed).choice([-1.0, 1.0], (20, 2, 1))
    signs[0] = 1.0
    np.testing.assert_array_equal(s.continuous_quat(signs * smooth), smooth)


@given(short)
def test_right_jacobian_tells_how_a_turn_grows_with_its_vector(r):
    ahead, behind = (s.quat_exp(r + sign * 1e-5 * np.eye(3)) for sign in (1, -1))
    back = s.quat_conjugate(s.quat_exp(r))
    numeric = (s.quat_log(s.quat_multiply(back, ahead)) - s.quat_log(s.quat_multiply(back, behind))) / 2e-5
    np.testing.assert_allclose(s.right_jacobian(r), numeric.T, atol=1e-7)


@given(short, st.floats(1e-5, 1.0))
def test_inverse_right_jacobian_undoes_it_for_turns_of_any_size(r, size):
    product = s.inverse_right_jacobian(size * r) @ s.right_jacobian(size * r)
    np.testing.assert_allclose(product, np.eye(3), atol=1e-9)


@given(vectors, vectors)
def test_cross_matrix_is_the_cross_product(a, b):
    np.testing.assert_allclose(s.cross_matrix(a) @ b, np.cross(a, b), **close)


def test_the_cross_product_of_two_vectors_is_numpys():
    a, b = np.random.default_rng(0).standard_normal((2, 3))
    np.testing.assert_array_equal(s.cross(a, b), np.cross(a, b))
