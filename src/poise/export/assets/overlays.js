// Overlays: contact forces, pushes, weights and the centre of mass.

/** An arrow with a given tail and vector; the size of its head is constant. */
class Arrow {
  constructor(scene, colour, thickness) {
    const plain = { color: colour, roughness: 0.6, transparent: true };
    const shaft = upright(new THREE.CylinderGeometry(thickness, thickness, 1, 16));
    this.head = 5 * thickness;
    const tip = upright(new THREE.ConeGeometry(2.4 * thickness, this.head, 24));
    this.group = new THREE.Group();
    // Drawn twice: the visible part, and faintly the part hidden in or behind a body.
    this.parts = [{ share: 1, look: plain },
      { share: 0.3, look: { ...plain, depthFunc: THREE.GreaterDepth, depthWrite: false } }].map(({ share, look }) => {
      const material = new THREE.MeshStandardMaterial(look);
      const part = { share, material, shaft: new THREE.Mesh(shaft, material), tip: new THREE.Mesh(tip, material) };
      part.shaft.renderOrder = part.tip.renderOrder = share < 1 ? 8 : 9;
      this.group.add(part.shaft, part.tip);
      return part;
    });
    scene.add(this.group);
  }

  show(tail, vector, opacity = 1) {
    const length = vector.length();
    this.group.visible = length > 1e-6;
    if (!this.group.visible) return;
    const reach = Math.max(1e-3, length - this.head);
    for (const { share, material, shaft, tip } of this.parts) {
      shaft.scale.z = reach;
      shaft.position.z = reach / 2;
      tip.position.z = length - this.head / 2;
      material.opacity = share * opacity;
    }
    this.group.position.copy(tail);
    this.group.quaternion.setFromUnitVectors(Arrow.up, vector.clone().divideScalar(length));
  }

  hide() {
    this.group.visible = false;
  }
}
Arrow.up = new THREE.Vector3(0, 0, 1);

/** Forces as arrows of a colour, of which as many are kept as were shown at once. */
class Arrows {
  constructor(scene, colour, thickness) {
    this.make = () => new Arrow(scene, colour, thickness);
    this.arrows = [];
  }

  /** Show arrows [[tail, vector, opacity]] and no others. */
  show(shown) {
    while (this.arrows.length < shown.length) this.arrows.push(this.make());
    this.arrows.forEach((arrow, k) => (k < shown.length ? arrow.show(...shown[k]) : arrow.hide()));
  }
}

/** Contact forces as arrows; the body's weight is 0.45 span long. */
class Contacts extends Arrows {
  constructor(scene, span, weight) {
    super(scene, LOOK.contact, 0.008 * span);
    this.scale = (0.45 * span) / weight;
  }

  /** Show the forces [{ point, force }], in m and N. */
  show(forces) {
    super.show(forces.map(({ point, force }) => [new THREE.Vector3(...point), new THREE.Vector3(...force).multiplyScalar(this.scale)]));
  }
}

/** Pushes as arrows that end at the pushed body; they fade out slowly, because most pushes last only 0.1 s. */
class Pushes extends Arrows {
  constructor(scene, span, weight) {
    super(scene, LOOK.push, 0.013 * span);
    this.linger = 0.35; // seconds
    this.gap = 0.07 * span;
    this.lengthOf = (newtons) => span * Math.min(0.9, 0.3 + (0.3 * newtons) / weight);
  }

  /** Of the pushes [{ body, point, force, time, duration }], show those that act at a time or have just ended. */
  show(pushes, time, groups) {
    const acting = pushes.filter(({ body, time: start, duration }) => groups[body] && time >= start && time - start - duration <= this.linger);
    super.show(acting.map(({ body, point, force, time: start, duration }) => {
      const after = time - start - duration, vector = new THREE.Vector3(...force);
      vector.setLength(this.lengthOf(vector.length()));
      const { position, quaternion } = groups[body];
      const centre = new THREE.Vector3(...point).applyQuaternion(quaternion).add(position);
      const tail = centre.sub(vector).addScaledVector(vector, -this.gap / vector.length());
      return [tail, vector, after > 0 ? 1 - after / this.linger : 1];
    }));
  }
}

const BRICK = 2000; // kg/m^3

/** A weight on a body, drawn as a cube of the density of brick. */
function brick({ mass, point }) {
  const side = Math.cbrt(mass / BRICK);
  const box = new THREE.Mesh(new THREE.BoxGeometry(side, side, side), new THREE.MeshStandardMaterial({ color: "#59677a", roughness: 0.7 }));
  box.position.set(...point);
  box.castShadow = true;
  return box;
}

/** Weights, visible while they are attached to their bodies. */
class Weights {
  constructor(weights, groups) {
    this.hung = weights.map((weight) => ({ ...weight, box: brick(weight) }));
    this.hung.forEach(({ box, body }) => groups[body].add(box));
  }

  show(now) {
    for (const { box, time, until } of this.hung) box.visible = now >= time && now < (until ?? Infinity);
  }
}

/** Each performer's centre of mass, drawn through the body, and its path so far. */
class CentreOfMass {
  constructor(points, timeline, scene, span) {
    this.points = points;
    this.frames = timeline.times.length;
    this.sides = 6;
    const see = { color: LOOK.com, transparent: true, depthTest: false };
    const ball = new THREE.SphereGeometry(0.022 * span, 24, 16);
    this.group = new THREE.Group();
    this.items = Array.from({ length: points.count }, (_, performer) => {
      const path = Array.from({ length: this.frames }, (_unused, frame) =>
        points.at({ frame, next: frame, fraction: 0 }, performer, new THREE.Vector3()));
      const dot = new THREE.Mesh(ball, new THREE.MeshBasicMaterial({ ...see, opacity: 0.95 }));
      dot.renderOrder = 11;
      this.group.add(dot);
      if (this.frames < 2) return { dot };
      const tube = new THREE.TubeGeometry(new Polyline(path), this.frames - 1, 0.005 * span, this.sides);
      const trail = new THREE.Mesh(tube, new THREE.MeshBasicMaterial({ ...see, opacity: 0.6 }));
      trail.renderOrder = 10;
      trail.frustumCulled = false;
      this.group.add(trail);
      return { dot, trail };
    });
    scene.add(this.group);
  }

  show(where, visible) {
    this.group.visible = visible;
    this.items.forEach(({ dot, trail }, performer) => {
      this.points.at(where, performer, dot.position);
      trail?.geometry.setDrawRange(0, 6 * this.sides * where.frame);
    });
  }
}

/** A polyline through all frames with equal parameter steps, so that the rings of a tube along it are the frames. */
class Polyline extends THREE.CatmullRomCurve3 {
  getPointAt(u, target = new THREE.Vector3()) {
    const at = u * (this.points.length - 1), low = Math.min(Math.floor(at), this.points.length - 2);
    return target.lerpVectors(this.points[low], this.points[low + 1], at - low);
  }

  getTangentAt(u, target = new THREE.Vector3()) {
    const at = u * (this.points.length - 1), low = Math.min(Math.floor(at), this.points.length - 2);
    target.subVectors(this.points[low + 1], this.points[low]);
    return target.lengthSq() > 1e-14 ? target.normalize() : target.set(0, 0, 1);
  }
}
