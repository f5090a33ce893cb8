// A complete motion, posed or performed: poses of all bodies at a fixed rate.

class Track {
  constructor({ name, step, frames }, numbers) {
    Object.assign(this, { name, step, frames, numbers });
    this.bodies = numbers.length / (7 * frames);
  }

  get end() {
    return (this.frames - 1) * this.step;
  }

  apply(time, objects) {
    const at = clamp(time / this.step, 0, this.frames - 1), first = Math.floor(at), next = Math.min(first + 1, this.frames - 1);
    const width = 7 * this.bodies, from = this.numbers.subarray(width * first), to = this.numbers.subarray(width * next);
    placeBodies(objects, from, to, at - first);
  }
}

/** Place objects between two sets of positions and quaternions (w x y z). */
function placeBodies(objects, from, to, fraction) {
  objects.forEach((object, index) => {
    const k = 7 * index;
    object.position.set(from[k], from[k + 1], from[k + 2]);
    object.quaternion.set(from[k + 4], from[k + 5], from[k + 6], from[k + 3]);
    if (!fraction) return;
    object.position.lerp(placeBodies.place.set(to[k], to[k + 1], to[k + 2]), fraction);
    object.quaternion.slerp(placeBodies.turn.set(to[k + 4], to[k + 5], to[k + 6], to[k + 3]), fraction);
  });
}
placeBodies.place = new THREE.Vector3();
placeBodies.turn = new THREE.Quaternion();
