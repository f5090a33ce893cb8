// Push and pull with the pointer: a click pushes the body away from the viewer, a drag pulls it.

const STIFF = 0.5; // share of the weight per metre of the pull
const MOST = 0.6; // maximum pull, share of the weight
const FAR = 5; // pixels beyond which a click becomes a drag

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
    this.present = () => {}; // continues from the moment of the past that is shown
  }

  down(event) {
    if (event.button !== 0 || !this.active()) return;
    const hit = this.theatre.pick(event);
    if (!hit || this.theatre.scene.shapes.find((shape) => shape.body === hit.body)?.role !== "performer") return;
    this.theatre.stage.controls.enabled = false;
    this.canvas.setPointerCapture(event.pointerId);
    const group = this.theatre.groups[hit.body];
    const local = group.worldToLocal(hit.point.clone());
    this.held = { ...hit, group, local, facing: new THREE.Plane(), x: event.clientX, y: event.clientY, ray: this.theatre.ray(event).ray.direction.clone(), moved: false };
  }

  move(event) {
    const { held } = this;
    if (!held) {
      this.canvas.classList.toggle("over", this.active() && event.buttons === 0 && !!this.theatre.pick(event));
      return;
    }
    const moved = held.moved;
    held.moved ||= Math.hypot(event.clientX - held.x, event.clientY - held.y) > FAR;
    if (!held.moved) return;
    if (!moved) this.present();
    held.pointer = { clientX: event.clientX, clientY: event.clientY };
    this.canvas.classList.add("pulling");
    $("hint").classList.add("gone");
    Object.assign($("force").style, { left: `${event.clientX}px`, top: `${event.clientY}px` });
  }

  /** While something is held: draw the arrow in each frame, and send the force at most twenty times a second. */
  pull(now) {
    const { held, theatre } = this;
    if (!held?.pointer) return;
    held.group.updateWorldMatrix(true, false);
    const from = held.group.localToWorld(held.local.clone());
    held.facing.setFromNormalAndCoplanarPoint(theatre.stage.camera.getWorldDirection(new THREE.Vector3()), from); // the camera may have moved
    const to = theatre.ray(held.pointer).ray.intersectPlane(held.facing, new THREE.Vector3());
    if (!to) return;
    const way = to.sub(from), force = way.clone().multiplyScalar((STIFF * theatre.weight * 1.75) / theatre.span).clampLength(0, MOST * theatre.weight);
    theatre.aim.show(from, way.length() > 0.02 ? way.clampLength(0, theatre.span) : way.set(0, 0, 0));
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
    this.present();
    const { force, duration } = this.pushing();
    const way = held.ray.clone().setZ(0.25 * held.ray.z).setLength(force);
    this.wire.send("push", { force: way.toArray(), duration, body: held.name });
    $("hint").classList.add("gone");
  }
}
