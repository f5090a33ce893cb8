// Hands on the body: a click pushes it away from the viewer, a drag pulls it along.

const STIFF = 0.9; // of its weight for each metre that it is pulled
const FAR = 5; // pixels that make a drag of a click

class Grab {
  constructor(theatre, wire, pushing) {
    Object.assign(this, { theatre, wire, pushing });
    this.held = null;
    this.sent = 0;
    const canvas = theatre.stage.renderer.domElement;
    canvas.addEventListener("pointerdown", (event) => this.down(event), { capture: true });
    canvas.addEventListener("pointermove", (event) => this.move(event));
    for (const end of ["pointerup", "pointercancel", "lostpointercapture"]) canvas.addEventListener(end, (event) => this.up(event));
    this.canvas = canvas;
    this.active = () => true;
  }

  down(event) {
    if (event.button !== 0 || !this.active()) return;
    const hit = this.theatre.pick(event);
    if (!hit || this.theatre.scene.shapes.find((shape) => shape.body === hit.body)?.role !== "performer") return;
    this.theatre.stage.controls.enabled = false;
    this.canvas.setPointerCapture(event.pointerId);
    const group = this.theatre.groups[hit.body];
    const local = group.worldToLocal(hit.point.clone());
    const facing = new THREE.Plane().setFromNormalAndCoplanarPoint(this.theatre.stage.camera.getWorldDirection(new THREE.Vector3()), hit.point);
    this.held = { ...hit, group, local, facing, x: event.clientX, y: event.clientY, ray: this.theatre.ray(event).ray.direction.clone(), moved: false };
  }

  move(event) {
    const { held } = this;
    if (!held) {
      this.canvas.classList.toggle("over", this.active() && event.buttons === 0 && !!this.theatre.pick(event));
      return;
    }
    held.moved ||= Math.hypot(event.clientX - held.x, event.clientY - held.y) > FAR;
    if (!held.moved) return;
    held.target = this.theatre.ray(event).ray.intersectPlane(held.facing, new THREE.Vector3());
    this.canvas.classList.add("pulling");
    $("hint").classList.add("gone");
    Object.assign($("force").style, { left: `${event.clientX}px`, top: `${event.clientY}px` });
  }

  /** Each frame while something is held: the arrow, and at most twenty times a second the force. */
  pull(now) {
    const { held, theatre } = this;
    if (!held?.target) return;
    const from = held.group.localToWorld(held.local.clone()), way = held.target.clone().sub(from);
    const force = way.clone().multiplyScalar(STIFF * theatre.weight / (0.55 * theatre.span));
    if (force.length() > 1.5 * theatre.weight) force.setLength(1.5 * theatre.weight);
    theatre.aim.show(from, way.length() > 0.02 ? way : way.set(0, 0, 0));
    $("force").hidden = false;
    $("force").textContent = `${Math.round(force.length())} N`;
    if (now - this.sent > 50 && force.length() > 1) {
      this.wire.send("pull", { body: held.name, force: force.toArray() });
      this.sent = now;
      held.pulled = true;
    }
  }

  up() {
    const { held } = this;
    if (!held) return;
    this.held = null;
    this.theatre.stage.controls.enabled = true;
    this.theatre.aim.hide();
    $("force").hidden = true;
    this.canvas.classList.remove("pulling");
    if (held.pulled) return this.wire.send("release");
    if (held.moved) return;
    const { force, duration } = this.pushing();
    const way = held.ray.clone().setZ(0.25 * held.ray.z).setLength(force);
    this.wire.send("push", { force: way.toArray(), duration, body: held.name });
    $("hint").classList.add("gone");
  }
}
