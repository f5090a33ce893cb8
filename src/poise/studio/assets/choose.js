// Choice of motion, controller, body and terrain: any change starts a new performance.

class Choose {
  constructor(wire) {
    this.wire = wire;
    this.files = new Map(); // opened files by name
    this.coming = new Map(); // files on their way, by their own name: whether they were just opened
    this.sent = new Set(); // names of the files that the process has
    this.crashes = 0; // since something was last put on the stage
    this.edits = [];
    this.steered = false;
    this.on = null; // choice on the stage
    this.wanted = new Map(); // choices being prepared, by number
    this.count = 0;
    this.next = null; // more of the choice that begins once it is known which controllers fit
    $("motion").onchange = () => this.asked();
    $("body").onchange = () => this.asked();
    $("terrain").onchange = () => { this.showNumbers(); this.begin(); };
    labelled($("friction"), (value) => value.toFixed(2)).addEventListener("change", () => this.begin());
    labelled($("load-mass"), (value) => (value ? `${value} kg` : "none")).addEventListener("change", () => this.begin());
    $("load-link").onchange = () => Number($("load-mass").value) && this.begin();
    $("open-bvh").onclick = () => $("file").click();
    $("file").onchange = () => { if ($("file").files[0]) this.upload($("file").files[0], true); $("file").value = ""; };
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
      if (event.dataTransfer.files[0]) this.upload(event.dataTransfer.files[0], true);
    });
  }

  upload(file, opened) {
    this.coming.set(file.name, { file, opened });
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

  /** The process has a file: perform it if it was just opened or is still chosen. */
  bring(name, own) {
    const { file, opened } = this.coming.get(own);
    this.sent.add(name);
    this.files.set(name, file);
    if (!opened) {
      if (name === $("motion").value) this.asked(this.next);
      return;
    }
    if (name !== this.on?.motion) $("body").value = "";
    if (!this.described(this.controller).balances) this.controller = this.choices.walker;
    this.showMotions(name);
    this.opened = name;
    this.asked();
  }

  /** Say which controller performs a file that was just opened, and offer the others that suit it. */
  announce(name, able) {
    this.opened = null;
    const { title, brief } = this.described(this.controller), pick = (other) => { this.controller = other; this.asked(); };
    const others = able.filter((other) => other !== this.controller && this.described(other).balances);
    toast(`${name} is performed by ${title}: ${brief}`, "note", Object.fromEntries(others.map((other) => [`Use ${other}`, () => pick(other)])));
  }

  /** Show the choice on the stage again, after another one was refused. */
  restore() {
    this.opened = null;
    if (!this.on) return;
    this.show(this.on);
    this.asked(null);
  }

  /** Show a choice in the fields. */
  show({ motion, body, controller, terrain, friction, edits, steered, loads }) {
    const [ground, ...numbers] = terrain.split(":");
    const set = (id, value) => { $(id).value = value; $(id).show?.(); };
    this.showMotions(motion);
    for (const [id, value] of Object.entries({ body, friction, "load-mass": loads[0]?.split("=")[1] ?? 0 })) set(id, value);
    if (this.terrain !== terrain) { set("terrain", ground); this.showNumbers(numbers); }
    Object.assign(this, { controller, edits, steered });
  }

  /** The process was replaced and its files are lost: show what was on the stage. */
  lost(asked) {
    this.crashes += asked ? 0 : 1;
    this.sent.clear();
    this.restore();
    if (!asked || this.on || !this.choices) return;
    this.controller = this.choices.walker; // what was to be staged first is what was stopped
    this.showMotions("walk");
  }

  /** Put what was on the stage there again, unless that is what ends the process. */
  again() {
    if (this.crashes < 3) this.asked(this.on ?? {}); else toast("It stopped three times: choose something else.", "error");
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

  /** What the fields show, but for loads. */
  get chosen() {
    return { motion: $("motion").value, body: $("body").value, controller: this.controller, terrain: this.terrain, friction: Number($("friction").value) };
  }

  /** Ask which controllers fit; then begin with the chosen one, or the first that fits, unless `more` is null. */
  asked(more = {}) {
    this.next = more;
    const name = $("motion").value;
    if (more && this.files.has(name) && !this.sent.has(name)) return this.upload(this.files.get(name), false);
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
    if (motion === this.opened) this.announce(motion, able);
    const { next } = this;
    this.next = null;
    if (next) this.begin(next);
  }

  /** The server's description of a controller. */
  described(name) {
    return this.choices?.controllers.find((each) => each.name === name);
  }

  /** Stage the choice, with edits from the start; `steered`: prepare the steps for steering, which takes long. */
  begin({ edits = [], steered = this.steered && this.described(this.controller)?.steered === "by steps" } = {}) {
    Object.assign(this, { edits, steered });
    const mass = Number($("load-mass").value);
    const wanted = {
      id: ++this.count, ...this.chosen, edits, steered,
      loads: mass > 0 && $("load-link").value ? [`${$("load-link").value}=${mass}`] : [],
    };
    this.wanted.set(wanted.id, wanted);
    busy("getting ready");
    this.wire.send("stage", wanted);
  }

  staged({ id, links, hands, trunk, body }) {
    this.on = this.wanted.get(id);
    for (const older of this.wanted.keys()) if (older <= id) this.wanted.delete(older);
    const differs = Object.entries(this.chosen).some(([key, value]) => this.on[key] !== value);
    if (differs && !this.wanted.size && !this.next) this.restore(); // an older choice was refused meanwhile
    this.crashes = 0;
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
