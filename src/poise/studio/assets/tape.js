// The recorded frames, for display, scrubbing and plots.

const HEAD = 16; // bytes before the numbers

class Tape {
  /** Numbers of bodies and degrees of freedom; they determine the layout of a frame (poise/studio/frames.py). */
  constructor(bodies, dofs) {
    this.frames = [];
    this.bodies = bodies;
    let at = 0;
    const span = (count) => { at += count; return [at - count, at]; };
    this.parts = { com: span(3), poses: span(7 * bodies), ghost: span(7 * bodies), angles: span(dofs), wanted: span(dofs), torque: span(dofs) };
    this.contactsAt = at;
  }

  add(data) {
    const time = new DataView(data).getFloat64(8, true);
    const { frames } = this;
    while (frames.length && frames[frames.length - 1].time >= time - 1e-9) frames.pop();
    frames.push({ time, numbers: new Float32Array(data, HEAD) });
  }

  /** Drop the frames after a time. */
  cut(time) {
    while (this.frames.length && this.frames[this.frames.length - 1].time > time + 1e-9) this.frames.pop();
  }

  get end() {
    return this.frames.length ? this.frames[this.frames.length - 1].time : 0;
  }

  /** Index of the last frame not after a time. */
  indexAt(time) {
    let low = 0, high = this.frames.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.frames[middle].time <= time) low = middle; else high = middle - 1;
    }
    return low;
  }

  at(time) {
    const index = this.indexAt(time), a = this.frames[index], b = this.frames[Math.min(index + 1, this.frames.length - 1)];
    const gap = b.time - a.time;
    return { a, b, fraction: gap > 0 ? clamp((time - a.time) / gap, 0, 1) : 0, index };
  }

  part(frame, name) {
    return frame.numbers.subarray(...this.parts[name]);
  }

  /** Contact forces of a frame: [{ body, point, force }]. */
  contacts(frame) {
    const found = [];
    for (let k = this.contactsAt; k + 7 <= frame.numbers.length; k += 7) {
      const [body, ...rest] = frame.numbers.subarray(k, k + 7);
      found.push({ body, point: rest.slice(0, 3), force: rest.slice(3) });
    }
    return found;
  }

  /** Place objects at the bodies of a part: "poses" or "ghost". */
  apply({ a, b, fraction }, name, objects) {
    placeBodies(objects, this.part(a, name), this.part(b, name), fraction);
  }

  com({ a, b, fraction }, target) {
    return target.fromArray(this.part(a, "com")).lerp(placeBodies.place.fromArray(this.part(b, "com")), fraction);
  }
}
