// Choice of motion, controller, body and terrain: any change starts a new performance.

class Choose {
  constructor(wire) {
    this.wire = wire;
    this.files = new Map(); // opened files by name
    this.edits = [];
    this.steered = false;
    this.on = null; // choice on the stage
    this.wanted = null; // choice being prepared
    $("motion").onchange = () => this.asked();
    $("body").onchange = () => this.asked();
    $("terrain").onchange = () => { this.showNumbers(); this.begin(); };
    labelled($("friction"), (value) => value.toFixed(2)).addEventListener("change", () => this.begin());
    labelled($("load-mass"), (value) => (value ? `${value} kg` : "none")).addEventListener("change", () => this.begin());
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

  /** Show the choices of the server; `first` is the initial one. */
  offer(choices, first) {
    this.choices = choices;
    this.showMotions(first.motion ?? "walk");
    fill($("body"), [["", "automatic"], ...choices.bodies.map(({ name, what }) => [name, name, what])], first.body ?? "");
    const [terrain, ...numbers] = (first.terrain ?? "flat").split(":");
    fill($("terrain"), choices.terrains.map(({ name, what }) => [name, name, what]), terrain);
    this.showNumbers(numbers);
    this.controller = first.controller ?? choices.walker;
    this.asked();
  }

  showMotions(chosen) {
    const groups = {};
    if (this.files.size) groups["Opened files"] = [...this.files.keys()].map((name) => [name, name]);
    for (const { name, what, group } of this.choices.motions) (groups[group] ??= []).push([name, name, what]);
    fill($("motion"), groups, chosen);
  }

  /** Perform a shipped motion by a controller, on the body that suits both. */
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

  /** Show the choice on the stage again, after another one was refused. */
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

  /** The process was replaced and its files are lost: stage the last choice again. */
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

  /** Ask which controllers fit; then begin with the chosen one, or the first that fits, unless `more` is null. */
  asked(more = {}) {
    this.next = more;
    const name = $("motion").value;
    $("motion-what").textContent = this.choices.motions.find((motion) => motion.name === name)?.what ?? "from your file";
    this.wire.send("fits", { motion: name, body: $("body").value });
  }

  fits({ motion, body, why }) {
    if (motion !== $("motion").value || body !== $("body").value) return;
    const order = Object.keys(why);
    const able = order.filter((name) => why[name] === null);
    if (!able.includes(this.controller)) [this.controller] = able;
    const picks = order.map((name) => {
      const { title, brief } = this.described(name);
      const radio = make("input", { type: "radio", name: "controller", value: name });
      radio.disabled = why[name] !== null;
      radio.checked = name === this.controller;
      radio.onchange = () => { this.controller = name; this.begin(); };
      return make("label", { className: "pick" }, radio, make("b", { textContent: title }),
        make("span", { textContent: why[name] ?? brief }));
    });
    const unfit = picks.filter((pick) => pick.querySelector("input").disabled), names = unfit.map((pick) => pick.querySelector("input").value);
    const others = make("details", {}, make("summary", { textContent: `${names.join(", ")} ${names.length > 1 ? "do" : "does"} not fit: why?` }), ...unfit);
    $("controllers").lastElementChild.replaceChildren(...picks.filter((pick) => !unfit.includes(pick)), ...(unfit.length ? [others] : []));
    if (this.next) this.begin(this.next);
  }

  /** The server's description of a controller. */
  described(name) {
    return this.choices?.controllers.find((each) => each.name === name);
  }

  /** Stage the choice, with edits from the start; `steered`: prepare the steps for steering, which takes long. */
  begin({ edits = [], steered = this.steered && this.described(this.controller)?.steered === "by steps" } = {}) {
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
    $("body-what").textContent = known ? `${$("body").value ? "" : `${body}: `}${known.what}` : "own: built for the skeleton of your file";
    const chosen = links.includes($("load-link").value) ? $("load-link").value : hands[0] ?? trunk;
    fill($("load-link"), links.map((link) => [link, link.replaceAll("_", " ")]), chosen);
  }

  /** Start again with a load (kg) on a link. */
  carry(link, mass) {
    const most = Number($("load-mass").max);
    if (mass > most) toast(`A load has at most ${most} kg.`);
    $("load-link").value = link;
    $("load-mass").value = mass;
    $("load-mass").show();
    $("loads").open = true;
    this.begin();
  }
}
