// The 3D view: the scene, the ghost and the overlays.

const TRAIL = 240; // frames of the trail of the centre of mass

class Theatre {
  constructor(canvas) {
    this.quality = qualityFor(location.hash);
    document.body.classList.toggle("plain", this.quality === PLAIN);
    this.stage = new Stage(canvas, 1.75, { azimuth: -52, elevation: 12, distance: 3.1 }, this.quality);
    this.sharpness = new Sharpness(this.stage);
    this.floor = floorTexture(this.stage.renderer, this.quality);
    this.on = { ghost: true, contacts: false, com: false, support: false, pendulum: false, follow: true };
    this.focus = new THREE.Vector3();
    this.com = new THREE.Vector3();
    this.set = new THREE.Group();
    this.stage.scene.add(this.set);
    this.fresh = true;
  }

  /** Show the scene that the server describes. */
  put(scene) {
    this.stage.scene.remove(this.set);
    discard(this.set);
    this.set = new THREE.Group();
    this.stage.scene.add(this.set);
    const { shapes, bodies, span, weight, azimuth } = scene;
    Object.assign(this, { scene, span, weight });
    this.stage.fit(span, { azimuth, elevation: 12, distance: 3.3 });
    this.groups = buildFigure(shapes, bodies, this.set, this.floor, this.quality);
    const ghost = buildGhost(shapes, bodies, this.set, this.quality);
    this.ghost = ghost.ghost;
    this.ghostGroups = ghost.groups;
    this.groups.forEach((group, body) => group.traverse((part) => { part.userData.body = body; }));
    this.findPlanes();
    this.contacts = new Contacts(this.set, span, weight);
    this.pushes = new Pushes(this.set, span, weight);
    this.lostAt = Infinity; // s: after a fall the ghost is hidden
    this.boxes = [];
    this.hungAt = "";
    this.aim = new Arrow(this.set, LOOK.push, 0.012 * span);
    this.aim.hide();
    this.buildOverlays();
    this.fresh = true;
  }

  findPlanes() {
    this.planes = this.set.children.filter((part) => part.geometry?.type === "PlaneGeometry" && part.geometry.attributes.position.count === 4)
      .map((mesh) => ({ mesh, origin: mesh.position.clone() }));
  }

  /** Replace the ground. */
  lay(shapes) {
    for (const old of this.set.children.filter(({ userData }) => userData.role === "ground")) {
      this.set.remove(old);
      discard(old);
    }
    buildFigure(shapes, [], this.set, this.floor, this.quality);
    this.findPlanes();
  }

  buildOverlays() {
    const { span } = this, see = { transparent: true, depthTest: false };
    this.dot = new THREE.Mesh(new THREE.SphereGeometry(0.022 * span, 24, 16), new THREE.MeshBasicMaterial({ ...see, color: LOOK.com }));
    this.dot.renderOrder = 11;
    this.trail = new THREE.Line(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ ...see, color: LOOK.com, opacity: 0.8 }));
    this.trail.geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(3 * TRAIL), 3));
    this.support = new THREE.Mesh(new THREE.BufferGeometry(), new THREE.MeshBasicMaterial({ ...see, color: "#6c8fd6", opacity: 0.45, side: THREE.DoubleSide }));
    this.support.geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(3 * 64), 3));
    this.rod = new Arrow(this.set, "#a267c9", 0.006 * span);
    for (const part of [this.trail, this.support]) {
      part.frustumCulled = false;
      part.renderOrder = 10;
    }
    this.set.add(this.dot, this.trail, this.support);
  }

  /** Move endless ground along by whole metres, the spacing of its grid. */
  layGround() {
    for (const { mesh, origin } of this.planes) {
      const shift = this.com.clone().sub(origin).applyQuaternion(mesh.quaternion.clone().conjugate()).round().setZ(0);
      mesh.position.copy(shift.applyQuaternion(mesh.quaternion).add(origin));
    }
  }

  /** Show a time of the tape, `seconds` after the previous frame was shown. */
  show(tape, time, events, seconds) {
    const where = tape.at(time), { on } = this;
    tape.apply(where, "poses", this.groups);
    this.ghost.visible = on.ghost && time <= this.lostAt;
    if (this.ghost.visible) tape.apply(where, "ghost", this.ghostGroups);
    tape.com(where, this.com);
    const contacts = tape.contacts(where.a);
    this.showContacts(on.contacts ? contacts : []);
    this.showCentre(tape, where.index);
    this.showSupport(contacts);
    this.showPushes(time, events);
    this.showWeights(time, events);
    this.layGround();
    this.follow(seconds);
  }

  /** Hide all overlays. */
  rest() {
    for (const part of [this.dot, this.trail, this.support]) part.visible = false;
    for (const arrow of [this.rod, this.aim]) arrow.hide();
    this.contacts.show([]);
    this.pushes.show([], 0, this.groups);
  }

  follow(seconds) {
    if (this.fresh) {
      this.stage.focus.copy(this.com);
      this.focus.copy(this.com);
      this.stage.resize();
      this.stage.resetView();
      this.fresh = false;
    }
    this.focus.lerp(this.com, this.focus.distanceTo(this.com) > this.span ? 1 : 1 - Math.exp(-seconds / 0.18));
    this.stage.track(this.focus, this.on.follow);
  }

  /** The sum of the contact forces on each body, at its centre of pressure; impacts are drawn at most one span long. */
  showContacts(contacts) {
    const sums = new Map(), most = this.span / this.contacts.scale;
    for (const { body, point, force } of contacts) {
      const size = Math.hypot(...force), sum = sums.get(body) ?? { size: 0, point: new THREE.Vector3(), force: new THREE.Vector3() };
      sum.size += size;
      sum.point.addScaledVector(new THREE.Vector3(...point), size);
      sum.force.add(new THREE.Vector3(...force));
      sums.set(body, sum);
    }
    this.contacts.show([...sums.values()].filter(({ size }) => size > 1e-6)
      .map(({ size, point, force }) => ({ point: point.divideScalar(size), force: force.clampLength(0, most) })));
  }

  showCentre(tape, index) {
    const { com } = this.on;
    this.dot.visible = this.trail.visible = com;
    this.dot.position.copy(this.com);
    if (!com) return;
    const first = Math.max(0, index - TRAIL + 1), { position } = this.trail.geometry.attributes;
    for (let k = first; k <= index; k++) position.array.set(tape.part(tape.frames[k], "com"), 3 * (k - first));
    position.needsUpdate = true;
    this.trail.geometry.setDrawRange(0, index - first + 1);
  }

  /** The support polygon, and the rod from the centre of pressure to the centre of mass. */
  showSupport(contacts) {
    const bearing = contacts.filter(({ force }) => force[2] > 1);
    const hull = this.on.support ? convexHull(bearing.map(({ point }) => point)) : [];
    this.support.visible = hull.length > 2;
    if (this.support.visible) {
      const { position } = this.support.geometry.attributes;
      hull.slice(0, 64).forEach((point, k) => position.array.set([point[0], point[1], point[2] + 0.004], 3 * k));
      position.needsUpdate = true;
      const faces = [];
      for (let k = 1; k + 1 < Math.min(hull.length, 64); k++) faces.push(0, k, k + 1);
      this.support.geometry.setIndex(faces);
    }
    const total = bearing.reduce((sum, { force }) => sum + force[2], 0);
    if (!this.on.pendulum || !total) return this.rod.hide();
    const foot = new THREE.Vector3();
    for (const { point, force } of bearing) foot.addScaledVector(new THREE.Vector3(...point), force[2] / total);
    this.rod.show(foot, this.com.clone().sub(foot));
  }

  showPushes(time, events) {
    const pushes = events.filter((event) => event.kind === "push" && event.world_force);
    this.pushes.show(pushes.map(({ body, world_force: force, time: start, duration }) => (
      { body: this.scene.bodies.indexOf(body), point: [0, 0, 0], force, time: start, duration })), time, this.groups);
  }

  /** Boxes for the hung weights. */
  showWeights(time, events) {
    const off = events.findLastIndex((event) => event.kind === "weights off" && event.time <= time);
    const hung = events.filter((event, k) => k > off && event.kind === "weight" && event.time <= time);
    const state = hung.map((event) => `${event.time} ${event.body} ${event.mass}`).join();
    if (state === this.hungAt) return;
    this.hungAt = state;
    this.boxes.forEach((box) => { box.removeFromParent(); discard(box); });
    this.boxes = hung.map((weight) => {
      const box = brick(weight);
      box.userData.body = this.scene.bodies.indexOf(weight.body);
      this.groups[box.userData.body].add(box);
      return box;
    });
  }

  /** The body under the pointer: { body, point, name }, or null. */
  pick(event) {
    if (!this.groups) return null;
    const meshes = [];
    this.groups.forEach((group) => group.traverse((part) => { if (part.isMesh) meshes.push(part); }));
    const [hit] = this.ray(event).intersectObjects(meshes, false);
    return hit ? { body: hit.object.userData.body, point: hit.point, name: this.scene.bodies[hit.object.userData.body] } : null;
  }

  ray(event) {
    const { left, top, width, height } = this.stage.renderer.domElement.getBoundingClientRect();
    const at = new THREE.Vector2((2 * (event.clientX - left)) / width - 1, 1 - (2 * (event.clientY - top)) / height);
    const ray = new THREE.Raycaster();
    ray.setFromCamera(at, this.stage.camera);
    return ray;
  }

  /** Screen position of a point of the world. */
  onScreen(point) {
    const { width, height } = this.stage.renderer.domElement.getBoundingClientRect(), at = point.clone().project(this.stage.camera);
    return { x: (0.5 + 0.5 * at.x) * width, y: (0.5 - 0.5 * at.y) * height };
  }

  /** Whether the view has moved since the last call. */
  moved() {
    const settling = this.focus.distanceTo(this.com) > 1e-3;
    return this.stage.controls.update() || settling;
  }

  draw() {
    this.stage.controls.update();
    this.stage.draw();
  }
}

/** Free the graphics memory of an object; textures are shared and stay. */
function discard(shown) {
  shown.traverse(({ geometry, material }) => { geometry?.dispose(); material?.dispose(); });
}

/** Convex hull of ground points, counterclockwise (Andrew's monotone chain). */
function convexHull(points) {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const turns = (o, a, b) => (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]) > 0;
  const half = (list) => {
    const chain = [];
    for (const point of list) {
      while (chain.length > 1 && !turns(chain[chain.length - 2], chain[chain.length - 1], point)) chain.pop();
      chain.push(point);
    }
    return chain.slice(0, -1);
  };
  return sorted.length < 3 ? [] : [...half(sorted), ...half(sorted.reverse())];
}
