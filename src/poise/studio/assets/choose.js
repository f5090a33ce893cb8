// Who performs what, by which controller and where: any change begins anew.

const CONTROLLER_WORDS = {
  pendulum: ["Pendulum", "walks where you steer, steps when it is pushed"],
  nqr: ["Look-ahead", "keeps close to the motion, recovers from pushes"],
  modal: ["Modal", "jumps, squats and swings, planning just ahead"],
  hold: ["Springs", "joints hold the pose; no balance"],
  limp: ["Rag doll", "no control at all"],
  rotation: ["Momentum", "rolls, dives and flips"],
  poses: ["Key poses", "performs scripts"],
};
const CONTROLLER_ORDER = ["pendulum", "nqr", "modal", "rotation", "hold", "limp", "poses"];

class Choose {
  constructor(wire) {
    this.wire = wire;
    this.files = new Map(); // brought, by name
    this.edits = [];
    this.steered = false;
    this.on = null; // what is on the stage
    this.wanted = null; // what is to be
    $("motion").onchange = () => this.asked();
    $("body").onchange = () => this.asked();
    $("terrain").onchange = () => { this.showNumbers(); this.begin(); };
    labelled($("friction"), (value) => value.toFixed(2)).addEventListener("change", () => this.begin());
    labelled($("load-mass"), (value) => (value ? `${value} kg` : "nothing")).addEventListener("change", () => this.begin());
    $("load-link").onchange = () => Number($("load-mass").value) && this.begin();
    $("open-bvh").onclick = () => $("file").click();
    $("file").onchange = () => { if ($("file").files[0]) this.upload($("file").files[0]); $("file").value = ""; };
    this.dropping();
  }

  dropping() {
    let depth = 0;
    addEventListener("dragenter", (event) => { event.preventDefault(); depth++; $("dropping").hidden = false; });
    addEventListener("dragleave", () => { if (--depth <= 0) { depth = 0; $("dropping").hidden = true; } });
    addEventListener("dragover", (event) => event.preventDefault());
    addEventListener("drop", (event) => {
      event.preventDefault();
      depth = 0;
      $("dropping").hidden = true;
      if (event.dataTransfer.files[0]) this.upload(event.dataTransfer.files[0]);
    });
  }

  upload(file) {
    this.coming = file;
    this.wire.upload(file);
  }

  /** What there is, once the server has told; `first` is what to begin with. */
  offer(choices, first) {
    this.choices = choices;
    this.showMotions(first.motion ?? "walk");
    fill($("body"), [["", "the one that suits"], ...choices.bodies.map(({ name, what }) => [name, name, what])], first.body ?? "");
    const [terrain, ...numbers] = (first.terrain ?? "flat").split(":");
    fill($("terrain"), choices.terrains.map(({ name, what }) => [name, what]), terrain);
    this.showNumbers(numbers);
    this.controller = first.controller ?? "pendulum";
    this.asked();
  }

  showMotions(chosen) {
    const groups = {};
    if (this.files.size) groups["Yours"] = [...this.files.keys()].map((name) => [name, name]);
    for (const { name, what, group } of this.choices.motions) (groups[group] ??= []).push([name, name, what]);
    fill($("motion"), groups, chosen);
  }

  /** A motion that comes with Poise, by a controller, on the body that suits both. */
  perform(motion, controller) {
    $("motion").value = motion;
    $("body").value = "";
    this.controller = controller;
    this.asked();
  }

  bring(name) {
    if (name !== this.on?.motion) $("body").value = "";
    this.files.set(name, this.coming);
    this.showMotions(name);
    this.asked();
  }

  /** Show again what is on the stage: something else could not be put there. */
  restore() {
    if (!this.on) return;
    const { motion, body, controller, terrain, friction, loads } = this.on, [ground, ...numbers] = terrain.split(":");
    const set = (id, value) => { $(id).value = value; $(id).show?.(); };
    this.showMotions(motion);
    for (const [id, value] of Object.entries({ body, friction, terrain: ground, "load-mass": loads[0]?.split("=")[1] ?? 0 })) set(id, value);
    this.showNumbers(numbers);
    this.controller = controller;
    this.asked(null);
  }

  /** Whoever performed is gone, with all files: begin with what was on the stage once more. */
  again() {
    const file = this.files.get(this.on?.motion);
    this.files.clear();
    if (!this.on) return this.asked();
    this.restore();
    if (file) this.upload(file); else this.next = this.on;
  }

  showNumbers(values = []) {
    const { numbers } = this.choices.terrains.find(({ name }) => name === $("terrain").value);
    $("terrain-numbers").replaceChildren(...numbers.map(({ label, usual, least, most, step, unit }, k) => {
      const input = make("input", { type: "range", min: least, max: most, step, value: values[k] ?? usual, ariaLabel: label });
      const box = make("label", { className: "range" }, make("span", { textContent: label }), input, make("output"));
      labelled(input, (value) => `${value}${unit && (unit === "°" ? unit : ` ${unit}`)}`).addEventListener("change", () => this.begin());
      return box;
    }));
  }

  get terrain() {
    return [$("terrain").value, ...all("input", $("terrain-numbers")).map((input) => input.value)].join(":");
  }

  /** Ask which controllers fit; then begin with the chosen one, or the first that does, unless `more` is null. */
  asked(more = {}) {
    this.next = more;
    const name = $("motion").value;
    $("motion-what").textContent = this.choices.motions.find((motion) => motion.name === name)?.what ?? "from your file, on a body built for its skeleton";
    this.wire.send("fits", { motion: name, body: $("body").value });
  }

  fits({ motion, body, why }) {
    if (motion !== $("motion").value || body !== $("body").value) return;
    const able = CONTROLLER_ORDER.filter((name) => name in why && why[name] === null);
    if (!able.includes(this.controller)) [this.controller] = able;
    const picks = CONTROLLER_ORDER.filter((name) => name in why).map((name) => {
      const [title, what] = CONTROLLER_WORDS[name], radio = make("input", { type: "radio", name: "controller", value: name });
      radio.disabled = why[name] !== null;
      radio.checked = name === this.controller;
      radio.onchange = () => { this.controller = name; this.begin(); };
      return make("label", { className: "pick", title: name }, radio, make("b", { textContent: title }),
        make("span", { textContent: why[name] === null ? what : why[name] }));
    });
    const unfit = picks.filter((pick) => pick.querySelector("input").disabled), names = unfit.map((pick) => pick.querySelector("b").textContent);
    const others = make("details", {}, make("summary", { textContent: `${names.join(", ")} ${names.length > 1 ? "do" : "does"} not fit: why?` }), ...unfit);
    $("controllers").lastElementChild.replaceChildren(...picks.filter((pick) => !unfit.includes(pick)), ...(unfit.length ? [others] : []));
    if (this.next) this.begin(this.next);
  }

  /** `more` may have edits from the beginning, and whether it is to be steered where that takes long to prepare. */
  begin({ edits = [], steered = this.controller === "nqr" && this.steered } = {}) {
    Object.assign(this, { edits, steered });
    const mass = Number($("load-mass").value);
    this.wanted = {
      motion: $("motion").value, body: $("body").value, controller: this.controller, terrain: this.terrain,
      friction: Number($("friction").value), edits, steered,
      loads: mass > 0 && $("load-link").value ? [`${$("load-link").value}=${mass}`] : [],
    };
    busy("getting ready");
    this.wire.send("stage", this.wanted);
  }

  staged({ links, hands, trunk, body }) {
    this.on = this.wanted;
    const known = this.choices.bodies.find(({ name }) => name === body);
    $("body-what").textContent = known ? `${$("body").value ? "" : `${body}: `}${known.what}` : "built for the skeleton of your file";
    const chosen = links.includes($("load-link").value) ? $("load-link").value : hands[0] ?? trunk;
    fill($("load-link"), links.map((link) => [link, link.replaceAll("_", " ")]), chosen);
  }

  /** Begin anew with a weight on a link. */
  carry(link, mass) {
    const most = Number($("load-mass").max);
    if (mass > most) toast(`At most ${most} kg can be carried from the beginning.`);
    $("load-link").value = link;
    $("load-mass").value = mass;
    $("load-mass").show();
    $("loads").open = true;
    this.begin();
  }
}
