// Edits of the motion, from now on or from the start, and the list of events.

/** Edits add up or multiply. */
const CENTIMETRES = (v) => `${v < 0 ? "−" : "+"}${Math.abs(100 * v).toFixed(0)} cm`;
const ADDED = { join: (a, b) => a + b, part: (want, has) => want - has };
const TIMES = { join: (a, b) => a * b, part: (want, has) => want / has };
const EDITS = [
  { name: "warp", label: "warp · pace", min: 0.5, max: 1.5, step: 0.05, rest: 1, show: (v) => `×${v.toFixed(2)}`, ...TIMES },
  { name: "stride", label: "stride", min: -0.3, max: 0.3, step: 0.02, rest: 0, show: CENTIMETRES, ...ADDED },
  { name: "trunk", label: "trunk · height", min: -0.3, max: 0.05, step: 0.01, rest: 0, show: CENTIMETRES, ...ADDED },
  { name: "slope", label: "slope", min: -15, max: 15, step: 1, rest: 0, show: (v) => `${v}°`, ...ADDED },
  { name: "turn", label: "turn", min: -180, max: 180, step: 15, rest: 0, show: (v) => `${v}°`, ...ADDED },
];

class Edit {
  constructor(wire, choose) {
    Object.assign(this, { wire, choose });
    this.when = this.preferred = "now"; // `preferred` holds where the controller allows it
    this.present = () => {}; // continues from the moment of the past that is shown
    all("[data-when]").forEach((button) => { button.onclick = () => { this.preferred = button.dataset.when; this.pick(this.preferred); }; });
    this.sliders = EDITS.map((edit) => {
      const input = make("input", { type: "range", min: edit.min, max: edit.max, step: edit.step, value: edit.rest, ariaLabel: edit.label });
      const box = make("label", { className: "range" }, make("span", { textContent: edit.label }), input, make("output"));
      labelled(input, edit.show).addEventListener("change", () => this.slid(edit, Number(input.value)));
      return { ...edit, input, box };
    });
    this.carry = make("select", { ariaLabel: "carry" });
    this.carry.onchange = () => this.make("carry", `carry:${this.carry.value}`, !this.carry.value);
    const mirror = make("button", { textContent: "mirror", onclick: () => this.make("mirror", "mirror", false) });
    $("edits").append(...this.sliders.map(({ box }) => box), mirror,
      make("label", { className: "field" }, make("span", { textContent: "carry · arms" }), this.carry));
    mirror.style.cssText = "align-self: end; justify-self: start";
    $("edit-text").onchange = () => {
      const text = $("edit-text").value.trim();
      if (text) this.make(text.split(":")[0], text, false);
      $("edit-text").value = "";
    };
    labelled($("ground-ahead"), (v) => (v ? `${v < 0 ? "−" : "+"}${Math.abs(v)}°` : "level")).addEventListener("change", () => this.now("slope", { degrees: Number($("ground-ahead").value) }));
    $("over").onclick = () => this.now("transition", { motion: $("over-motion").value });
    $("hang").onclick = () => this.now("hang", { body: $("hang-link").value, mass: Number($("hang-mass").value) });
    $("unhang").onclick = () => this.now("unhang");
    $("hang-begin").onclick = () => choose.carry($("hang-link").value, Number($("hang-mass").value));
    this.chosen = new Map();
    this.events = [];
  }

  /** Texts of the edits in effect: those from the start and, if `now`, those made since. A transition drops the earlier ones. */
  holding(now) {
    const texts = [...this.choose.edits, ...(now ? this.events.filter(({ kind }) => kind === "edit").map(({ text }) => text) : [])];
    return texts.slice(texts.findLastIndex((text) => text.startsWith("blend:")) + 1);
  }

  /** Total of all edits of a kind. */
  total({ name, rest, join }, now) {
    const values = this.holding(now).filter((text) => text.startsWith(`${name}:`)).map((text) => Number(text.slice(name.length + 1)));
    return values.filter(Number.isFinite).reduce(join, rest); // edits with a span are left out
  }

  /** A slider was moved to a value: from the start that value applies, from now on the difference to the total. */
  slid(edit, value) {
    const now = this.when === "now", missing = Number((now ? edit.part(value, this.total(edit, true)) : value).toFixed(4));
    this.make(edit.name, `${edit.name}:${edit.name === "stride" && missing > 0 ? "+" : ""}${missing}`, missing === edit.rest);
  }

  /** Show the edits in effect. */
  refresh() {
    const now = this.when === "now";
    for (const edit of this.sliders) {
      if (edit.input.matches(":active")) continue; // being dragged
      edit.input.value = this.total(edit, now);
      edit.input.show();
    }
    const carried = this.holding(now).findLast((text) => text.startsWith("carry:"));
    this.carry.value = carried?.slice(6) ?? "";
  }

  now(name, more) {
    this.present();
    this.wire.send(name, more);
  }

  offer({ carries }) {
    fill(this.carry, [["", "none"], ...Object.keys(carries).map((name) => [name, name, carries[name]])]);
  }

  pick(when) {
    this.when = when;
    all("[data-when]").forEach((button) => button.setAttribute("aria-checked", button.dataset.when === when));
    for (const { box, name } of this.sliders) box.hidden = when === "now" && this.choose.described(this.choose.controller)?.not_live.includes(name);
    this.refresh();
  }

  /** Apply an edit; from the start it replaces the one of its kind, or removes it if `none`. */
  make(name, text, none) {
    if (this.when === "now") {
      if (none) this.refresh(); else this.now("edit", { text });
      return;
    }
    if (none) this.chosen.delete(name); else this.chosen.set(name, text);
    this.choose.begin({ edits: [...this.chosen.values()] });
  }

  staged({ live, over, bends, controller, links, hands, trunk, motion }) {
    if (!this.choose.edits.length) this.chosen.clear();
    all("[data-when]")[0].disabled = !live;
    this.pick(live ? this.preferred : "start");
    $("edit-note").textContent = !live ? `${controller} needs a motion that obeys physics: an edited one must be optimised first, which takes a while.`
      : this.choose.described(controller).live_note;
    $("going-over").hidden = !over.length;
    $("ground-ahead").disabled = !bends;
    $("ground-note").textContent = bends ? "Starts a little more than a step ahead." : `Not for ${motion} with ${controller} on this ground. Choose the terrain on the left instead.`;
    fill($("over-motion"), over.filter((name) => name !== motion).map((name) => [name, name]), "sneak");
    fill($("hang-link"), links.map((link) => [link, link.replaceAll("_", " ")]), hands[0] ?? trunk);
  }

  /** Show the slope of the ground ahead (degrees); it may exceed the range of the slider. */
  measured({ rise }) {
    if ($("ground-ahead").matches(":active")) return; // being dragged
    $("ground-ahead").value = rise ?? 0;
    $("ground-ahead").show(Math.round(rise ?? 0));
  }

  /** List the events, latest first; of successive steering commands only the last. */
  showEvents(events) {
    this.events = events;
    this.refresh();
    const words = ({ kind, force, mass, body, text, heading_deg: heading, speed }) => ({
      push: () => `${Math.round(force)} N on ${body?.replaceAll("_", " ")}`,
      weight: () => `${mass} kg hung on ${body?.replaceAll("_", " ")}`,
      ground: () => `ground ${text}`,
      steer: () => `to ${Math.round(heading)}°${speed === null ? "" : ` at ${Number(speed.toFixed(1))} m/s`}`,
      edit: () => text.replace(/^blend:([^@]+)@.*/, "transition to $1"),
    })[kind]?.() ?? kind;
    const last = events.filter(({ kind, time }, k) => !(kind === "steer" && events[k + 1]?.kind === "steer" && events[k + 1].time - time < 1));
    $("done").replaceChildren(...last.slice(-60).reverse().map((event) => make("li", {},
      make("time", { textContent: `${(event.time ?? 0).toFixed(2)} s` }), make("span", { textContent: words(event) }))));
  }
}
