// The push pad and the steering.

const TURN = 70; // degrees per second while a key is held
const QUICKER = 0.8; // m/s per second while a key is held

class Act {
  constructor(wire, choose) {
    Object.assign(this, { wire, choose });
    this.steers = false;
    this.present = () => {}; // continues from the moment of the past that is shown
    this.heading = 0;
    this.keys = new Set();
    labelled($("push-force"), (value) => `${value} N`);
    labelled($("push-time"), (value) => `${value.toFixed(2)} s`);
    labelled($("steer-speed"), (value) => `${value.toFixed(1)} m/s`).addEventListener("input", () => { this.paced = true; this.steer(); });
    labelled($("steer-lift"), (value) => `+${Math.round(100 * value)} cm`).addEventListener("change", () => this.steer({ lift: Number($("steer-lift").value) }));
    labelled($("steer-step"), (value) => `${value.toFixed(2)} s`).addEventListener("change", () => this.steer({ step: Number($("steer-step").value) }));
    this.pad();
    this.dial();
    this.listen();
  }

  /** Force (N) and duration (s) of a push by a click. */
  pushing() {
    return { force: Number($("push-force").value), duration: Number($("push-time").value) };
  }

  pad() {
    const pad = $("pad"), arrow = $("pad-arrow");
    const towards = (event) => {
      const { left, top, width } = pad.getBoundingClientRect();
      return [(event.clientX - left) / width - 0.5, 0.5 - (event.clientY - top) / width];
    };
    pad.onpointermove = (event) => {
      const [right, ahead] = towards(event), far = Math.hypot(right, ahead) || 1;
      for (const [key, value] of [["x2", (44 * right) / far], ["y2", (-44 * ahead) / far]]) arrow.setAttribute(key, value);
    };
    pad.onpointerleave = () => { arrow.setAttribute("x2", 0); arrow.setAttribute("y2", 0); };
    pad.onclick = (event) => {
      const [right, ahead] = towards(event);
      this.push(RADIAN * Math.atan2(-right, ahead));
    };
    pad.onkeydown = (event) => {
      const ways = { ArrowUp: 0, ArrowLeft: 90, ArrowDown: 180, ArrowRight: -90, Enter: 0 };
      if (!(event.key in ways)) return;
      event.preventDefault();
      event.stopPropagation();
      this.push(ways[event.key]);
    };
  }

  push(degrees) {
    this.present();
    $("hint").classList.add("gone");
    const { force, duration } = this.pushing();
    this.wire.send("push", { newtons: force, degrees, duration, body: $("push-link").value });
  }

  dial() {
    const dial = $("dial"), ns = "http://www.w3.org/2000/svg";
    for (let degrees = 0; degrees < 360; degrees += 15) {
      const tick = document.createElementNS(ns, "line");
      for (const [key, value] of Object.entries({ y1: -55, y2: degrees % 90 ? -52 : -48, transform: `rotate(${degrees})` })) tick.setAttribute(key, value);
      $("dial-ticks").append(tick);
    }
    const turn = (event) => {
      const { left, top, width } = dial.getBoundingClientRect();
      const angle = RADIAN * Math.atan2(-(event.clientX - left - width / 2), -(event.clientY - top - width / 2));
      this.head(this.heading + ((((angle - this.heading) % 360) + 540) % 360) - 180);
    };
    dial.onpointerdown = (event) => { dial.setPointerCapture(event.pointerId); this.turning = true; turn(event); };
    dial.onpointermove = (event) => { if (this.turning) turn(event); };
    dial.onpointerup = dial.onpointercancel = () => { this.turning = false; };
  }

  listen() {
    const ours = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"];
    addEventListener("keydown", (event) => {
      if (!ours.includes(event.key) || event.target.matches("select, input, textarea") || event.altKey || event.ctrlKey || event.metaKey) return;
      if (!this.steers || document.body.dataset.mode !== "perform") return;
      event.preventDefault();
      this.keys.add(event.key);
      $("hint").classList.add("gone");
    });
    addEventListener("keyup", ({ key }) => this.keys.delete(key));
    addEventListener("blur", () => this.keys.clear());
    let before = performance.now();
    setInterval(() => {
      const now = performance.now(), seconds = Math.min(0.2, (now - before) / 1000), { keys } = this;
      before = now;
      if (!keys.size) return;
      const held = (key) => (keys.has(key) ? 1 : 0), input = $("steer-speed");
      const faster = held("ArrowUp") - held("ArrowDown");
      this.paced ||= faster !== 0;
      if (faster) { // keep the exact value, since the slider rounds
        this.exact = clamp((this.exact ?? Number(input.value)) + QUICKER * seconds * faster, Number(input.min), Number(input.max));
        input.value = this.exact;
        input.show();
      }
      this.head(this.heading + TURN * seconds * (held("ArrowLeft") - held("ArrowRight")));
    }, 60);
  }

  head(degrees) {
    this.heading = degrees;
    this.showHeading();
    this.steer();
  }

  showHeading() {
    const shown = ((((Math.round(this.heading) + 180) % 360) + 360) % 360) - 180;
    $("dial-want").setAttribute("transform", `rotate(${-this.heading})`);
    $("dial-text").textContent = `${shown}°`;
    $("dial").setAttribute("aria-valuenow", shown);
  }

  steer(more = {}) {
    this.present();
    if (!this.keys.size) this.exact = undefined;
    const speed = this.paced ? { speed: Number($("steer-speed").value) } : {}; // without a command it keeps the motion's speed
    this.wire.send("steer", { heading: this.heading, ...speed, ...more });
  }

  /** Show the present heading, degrees. */
  faces(degrees) {
    $("dial-now").setAttribute("transform", `rotate(${-degrees})`);
  }

  /** Buttons of the suggested motions. */
  offer({ moves }) {
    $("moves").replaceChildren(...moves.map(({ motion, controller }) => {
      const button = make("button", { textContent: motion, title: `by ${controller}`, onclick: () => this.choose.perform(motion, controller) });
      button.dataset.move = `${motion} ${controller}`;
      return button;
    }));
  }

  /** `guide` describes the controller that is steered; it may be one that takes over later. */
  staged({ links, trunk, steers, preparable, adjusts, controller, motion, usual_speed: usual }, guide, walker) {
    Object.assign(this, { steers, guide, usual });
    all("#moves button").forEach((button) => button.setAttribute("aria-pressed", button.dataset.move === `${motion} ${controller}`));
    this.heading = 0;
    this.paced = false;
    this.showHeading();
    fill($("push-link"), links.map((link) => [link, link.replaceAll("_", " ")]), trunk);
    $("steer").hidden = !steers;
    $("stepping").hidden = !adjusts;
    const input = $("steer-speed"), [slowest, fastest] = guide.speeds;
    this.fastest = fastest;
    Object.assign(input, { min: slowest, max: fastest });
    $("paces").replaceChildren(...guide.paces.map(([name, speed]) => make("button", {
      textContent: name, value: speed, onclick: () => { input.value = speed; input.show(); this.paced = true; this.steer(); },
    })));
    const note = $("steer-not");
    note.hidden = steers && guide.name === controller;
    note.replaceChildren(steers ? "The command takes effect once it has stood up."
      : preparable ? `${controller} can be prepared for steering. That takes about ten seconds, since it computes its feedback along every step. `
        : `${controller} performs ${motion} as it is and cannot be steered. Choose ${walker} to steer a walk.`);
    if (preparable) note.append(make("button", { textContent: "Prepare for steering", onclick: () => this.choose.begin({ steered: true }) }));
  }

  /** Limit the speed (m/s) on ground that is not level; null for no limit. */
  bound(fastest) {
    $("steer-speed").max = fastest ?? this.fastest;
    for (const button of $("paces").children) {
      button.disabled = fastest !== null && Number(button.value) > fastest;
      button.title = button.disabled ? `${this.guide.name} runs on level ground only` : "";
    }
  }

  /** Show the commands as the server has them. */
  update({ heading, speed, fastest, lift, step }) {
    this.bound(fastest);
    if (this.keys.size || this.turning || $("steer-speed").matches(":active")) return;
    this.heading = heading;
    this.showHeading();
    this.paced = speed !== null;
    for (const [id, value] of Object.entries({ "steer-speed": speed ?? this.usual, "steer-lift": lift ?? 0, "steer-step": step ?? 0.55 })) {
      if ($(id).matches(":active")) continue; // being dragged
      $(id).value = value;
      $(id).show();
    }
  }
}
