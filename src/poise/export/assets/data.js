// Decoding of the embedded data, and interpolation between frames.

const KINDS = { f4: Float32Array, i2: Int16Array, u4: Uint32Array };

/** Decode an array written by page.py, {kind, data} with little-endian base64, into a typed array. */
function unpack({ kind, data }) {
  const text = atob(data);
  const bytes = new Uint8Array(text.length);
  for (let k = 0; k < text.length; k++) bytes[k] = text.charCodeAt(k);
  return new KINDS[kind](bytes.buffer);
}

/** Finds the frame before a time, and the fraction of the way to the next frame. */
class Timeline {
  constructor(times) {
    this.times = times;
    this.start = times[0];
    this.end = times[times.length - 1];
  }

  locate(time) {
    const { times } = this;
    let low = 0, high = times.length - 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (times[middle] <= time) low = middle; else high = middle;
    }
    const gap = times[high] - times[low];
    const fraction = gap > 0 ? Math.min(1, Math.max(0, (time - times[low]) / gap)) : 0;
    return { frame: low, next: high, fraction };
  }
}

/** Moving points, `count` in each frame. */
class Points {
  constructor(packed, count) {
    this.values = unpack(packed);
    this.count = count;
  }

  at({ frame, next, fraction }, index, target) {
    const a = 3 * (frame * this.count + index), b = 3 * (next * this.count + index), v = this.values;
    return target.set(
      v[a] + fraction * (v[b] - v[a]),
      v[a + 1] + fraction * (v[b + 1] - v[a + 1]),
      v[a + 2] + fraction * (v[b + 2] - v[a + 2]),
    );
  }
}

/** Moving coordinate frames: positions, and quaternions w x y z as 16-bit fractions. */
class Poses {
  constructor(packed, count) {
    this.position = new Points(packed.position, count);
    this.rotation = unpack(packed.rotation);
    this.count = count;
    this.other = new THREE.Quaternion();
  }

  turn(frame, index, target) {
    const k = 4 * (frame * this.count + index), r = this.rotation;
    return target.set(r[k + 1], r[k + 2], r[k + 3], r[k]).normalize();
  }

  apply(where, objects) {
    objects.forEach((object, index) => {
      this.position.at(where, index, object.position);
      this.turn(where.frame, index, object.quaternion);
      object.quaternion.slerp(this.turn(where.next, index, this.other), where.fraction);
    });
  }
}

/** The mean contact force on each body in each frame, at its centre of pressure. */
class FrameContacts {
  constructor({ start, rows }) {
    this.start = unpack(start);
    this.rows = unpack(rows);
  }

  get empty() {
    return this.rows.length === 0;
  }

  at({ frame }) {
    return Array.from({ length: this.start[frame + 1] - this.start[frame] }, (_, k) => {
      const row = 6 * (this.start[frame] + k);
      return { point: this.rows.subarray(row, row + 3), force: this.rows.subarray(row + 3, row + 6) };
    });
  }
}
