// Handles on the body: knobs to drag; the limb follows.

class Handles {
  /** drag(name, place, done) is called while a handle is dragged. */
  constructor(theatre, drag) {
    Object.assign(this, { theatre, drag });
    this.knobs = [];
    const canvas = theatre.stage.renderer.domElement;
    canvas.addEventListener("pointerdown", (event) => this.down(event), { capture: true });
    canvas.addEventListener("pointermove", (event) => this.move(event));
    for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, () => this.up());
    this.active = () => false;
    this.held = null;
    this.sent = 0;
  }

  put(handles, bodies) {
    const { span, set } = this.theatre;
    this.knobs = handles.map(({ name, link, point }) => {
      const knob = new THREE.Group(), see = { transparent: true, depthTest: false };
      const ball = new THREE.Mesh(new THREE.SphereGeometry(0.019 * span, 24, 16), new THREE.MeshBasicMaterial({ ...see, color: "#ffffff" }));
      const rim = new THREE.Mesh(new THREE.SphereGeometry(0.026 * span, 24, 16), new THREE.MeshBasicMaterial({ ...see, color: "#3d6fb4" }));
      rim.renderOrder = 20;
      ball.renderOrder = 21;
      knob.add(rim, ball);
      set.add(knob);
      return { name, knob, rim, body: bodies.indexOf(link), point: new THREE.Vector3(...point) };
    });
  }

  /** Move the knobs to their links. */
  follow(visible) {
    for (const { knob, body, point } of this.knobs) {
      const group = this.theatre.groups[body];
      knob.visible = visible && !!group;
      if (group) knob.position.copy(point).applyQuaternion(group.quaternion).add(group.position);
    }
  }

  under(event) {
    const ray = this.theatre.ray(event);
    const [hit] = ray.intersectObjects(this.knobs.filter(({ knob }) => knob.visible).map(({ rim }) => rim), false);
    return hit && this.knobs.find(({ rim }) => rim === hit.object);
  }

  down(event) {
    const knob = this.active() && event.button === 0 && this.under(event);
    if (!knob) return;
    this.theatre.stage.controls.enabled = false;
    this.theatre.stage.renderer.domElement.setPointerCapture(event.pointerId);
    const facing = this.theatre.stage.camera.getWorldDirection(new THREE.Vector3());
    this.held = { ...knob, plane: new THREE.Plane().setFromNormalAndCoplanarPoint(facing, knob.knob.position), place: null };
  }

  move(event) {
    const { held } = this;
    if (!held) {
      if (this.active()) this.theatre.stage.renderer.domElement.classList.toggle("over", !!this.under(event));
      return;
    }
    held.place = this.theatre.ray(event).ray.intersectPlane(held.plane, new THREE.Vector3()) ?? held.place;
    const now = performance.now();
    if (!held.place || now - this.sent < 60) return;
    this.sent = now;
    this.drag(held.name, held.place.toArray(), false);
  }

  up() {
    const { held } = this;
    if (!held) return;
    this.held = null;
    this.theatre.stage.controls.enabled = true;
    if (held.place) this.drag(held.name, held.place.toArray(), true);
  }
}
