// The pose editor: keys on a time line, handles and sliders, goals, solving and comparing.

class Pose {
  constructor(wire, theatre) {
    Object.assign(this, { wire, theatre });
    this.tracks = {};
    this.time = 0;
    this.playing = false;
    this.showing = "keyframes";
    this.compare = true;
    this.goals = new Goals((goals) => this.send("goals", { goals }));
    this.handles = new Handles(theatre, (handle, place, done) => this.drag(handle, place, done));
    this.handles.active = () => this.open && this.showing === "keyframes" && !this.playing;
    this.filmed = () => {}; // makes a video: (name, seconds, draw)
    this.buildLeft();
    this.buildRight();
    this.buildBar();
  }

  send(name, more = {}) {
    this.wire.send(`pose.${name}`, more);
  }

  get open() {
    return document.body.dataset.mode === "pose" && !!this.easel;
  }

  // -- panels --------------------------------------------------------------------------------------------------------

  buildLeft() {
    this.scripts = make("select", { ariaLabel: "Script" });
    this.scripts.onchange = () => this.begin(this.scripts.value);
    this.title = make("input", { type: "text", ariaLabel: "Title", onchange: () => this.entries() });
    this.seconds = make("input", { type: "number", min: 0.1, max: 600, step: 0.1, ariaLabel: "Length, s", onchange: () => this.entries() });
    this.perform = make("button", { textContent: "Perform", className: "primary", onclick: () => this.run("perform") });
    this.solve = make("button", { textContent: "Solve goals", onclick: () => this.run("solve") });
    this.result = make("div", { id: "pose-result", role: "status" });
    const field = (label, input) => make("label", { className: "field" }, make("span", { textContent: label }), input);
    const take = (form) => (form === "mp4" ? this.film() : this.send("download", { format: form }));
    const takes = ["bvh", "glb", "html", "mp4"].map((form) => make("button", { textContent: form.toUpperCase(), disabled: true, onclick: () => take(form) }));
    this.takes = takes;
    $("pose-left").append(field("Script", this.scripts), field("Title", this.title), field("Length", this.seconds),
      make("div", { className: "buttons" }, make("button", { textContent: "Open…", onclick: () => $("file").click() }), make("button", { textContent: "Save script", onclick: () => this.send("save") })),
      make("h2", { textContent: "Perform" }), make("p", { className: "what", textContent: "The poses controller: springs pull the joints towards your poses." }),
      make("div", { className: "buttons" }, this.perform, this.solve), this.result, make("p", { className: "what after", textContent: "Export the performance as" }), make("div", { className: "buttons" }, ...takes), make("progress", { className: "film-progress", max: 1, value: 0, hidden: true }),
      make("h2", { textContent: "Goals" }), this.goals.element);
  }

  buildRight() {
    this.keyName = make("input", { type: "text", ariaLabel: "Name of the key", onchange: () => this.send("name", { index: this.key, name: this.keyName.value }) });
    this.keyTime = make("input", { type: "number", step: 0.05, min: 0, ariaLabel: "Time of the key, s", onchange: () => this.send("move", { index: this.key, time: Number(this.keyTime.value) }) });
    const button = (textContent, act) => make("button", { textContent, onclick: act });
    this.keyButtons = [button("Copy", () => this.send("copy", { index: this.key, time: this.freeTime() })), button("Mirror", () => this.send("mirror", { index: this.key })),
      button("Delete", () => this.send("delete", { index: this.key }))];
    this.undo = button("Undo", () => this.send("undo"));
    this.none = make("div", { className: "what", id: "no-key" });
    this.keyBox = make("div", {}, make("div", { className: "line" }, this.keyName, this.keyTime, make("span", { textContent: "s" })));
    this.sliders = new Sliders((dof, degrees) => this.bend(dof, degrees), (dof, degrees) => this.toggle(dof, degrees));
    $("pose-right").append(make("h2", { textContent: "Key" }), this.none, this.keyBox, make("div", { className: "buttons" }, ...this.keyButtons, this.undo),
      make("p", { className: "what", textContent: "Drag the handles on the body, or set angles here. A filled dot marks an angle that this key sets." }), this.sliders.element);
  }

  buildBar() {
    this.line = new KeyLine({
      seek: (time) => this.at(time), go: (index) => this.at(this.sheet.keys[index].time), move: (index, time) => this.send("move", { index, time }),
    });
    this.playButton = make("button", { id: "pose-play", ariaLabel: "Play or pause the script", innerHTML: '<svg viewBox="0 0 20 20" aria-hidden="true"><path/></svg>', onclick: () => this.play(!this.playing) });
    this.clock = make("output", { id: "pose-clock" });
    const add = make("button", { textContent: "Add key", id: "add-key", onclick: () => this.send("key", { time: this.time }) });
    const views = ["keyframes", "performed"].map((name) => make("button", { textContent: { keyframes: "Poses", performed: "Performance" }[name], role: "radio", onclick: () => this.show(name) }));
    [views[0].dataset.view, views[1].dataset.view] = ["keyframes", "performed"];
    this.views = views;
    this.compareButton = make("button", { textContent: "Compare", title: "Show the poses, or the previous performance, as a ghost", onclick: () => { this.compare = !this.compare; this.refresh(); } });
    const bar = make("footer", { id: "pose-bar", className: "for-pose" }, make("div", { className: "row" }, this.playButton, this.line.element, this.clock),
      make("div", { className: "row" }, add, make("div", { className: "switch", role: "radiogroup" }, ...views), this.compareButton));
    document.body.append(bar);
    addEventListener("keydown", (event) => {
      if (!this.open || event.target.matches("select, input, textarea, button")) return;
      const act = { " ": () => this.play(!this.playing), Delete: () => this.key >= 0 && this.send("delete", { index: this.key }) }[event.key];
      if (!act) return;
      event.preventDefault();
      act();
    });
  }

  // -- messages of the server -----------------------------------------------------------------------------------------

  offer(choices) {
    this.choices = choices;
    fill(this.scripts, {
      "New script": choices.bodies.map(({ name }) => [`new ${name}`, `new: ${name}`]),
      "Scripts of Poise": Object.entries(choices.scripts).map(([name, title]) => [name, name, title]),
    }, "new human37");
  }

  begin(name) {
    if (name.startsWith("new ")) this.send("new", { body: name.slice(4) }); else this.send("open", { script: name });
  }

  put(easel) {
    this.easel = easel;
    this.tracks = {};
    this.takes.forEach((button) => { button.disabled = true; }); // until it is performed
    this.before = null;
    this.time = 0;
    this.showing = "keyframes";
    this.result.replaceChildren();
    this.goals.offer(easel.links);
    this.stage();
    this.sliders.put(easel.angles);
  }

  /** The process was replaced: send the script again, now or when the pose mode opens. */
  lost() {
    this.easel = null;
    if (document.body.dataset.mode === "pose") this.stage();
  }

  stage() {
    if (!this.easel && this.sheet) return this.send("text", { text: this.sheet.text, name: this.sheet.name });
    if (!this.easel) return this.begin(this.scripts.value);
    this.theatre.put({ ...this.easel, feet: [], hands: [] });
    this.handles.put(this.easel.handles, this.easel.bodies);
  }

  showSheet(sheet) {
    this.sheet = sheet;
    if (sheet.at !== null) this.time = sheet.at;
    this.time = Math.min(this.time, sheet.seconds);
    this.title.value = sheet.title;
    this.seconds.value = sheet.seconds;
    this.undo.disabled = !sheet.undo;
    this.solve.disabled = !sheet.goals.length;
    this.showing = "keyframes";
    this.goals.show(sheet);
    this.line.show(sheet);
    this.at(this.time);
  }

  track(track) {
    if (track.name === "performed") this.before = this.tracks.performed ?? null;
    this.tracks[track.name] = track;
    if (track.name === "performed") this.show("performed");
    this.refresh();
  }

  posed({ poses, angles }) {
    this.live = Float32Array.from(poses);
    this.sliders.show(angles, this.sheet.keys[this.key]?.angles ?? {});
  }

  run(name) {
    $("pose-hint").classList.add("gone");
    busy(name === "solve" ? "solving" : "performing");
    this.send(name);
  }

  performed({ converged, constraints, solve_s: seconds, fell_at: fell, verdict, reasons, stopped }) {
    busy("");
    this.takes.forEach((button) => { button.disabled = false; });
    const line = (text, kind = "") => make("p", { textContent: text, className: kind });
    const lines = (constraints ?? []).map(({ what, target, reached, unit, met }) => line(`${what}: ${reached === null ? "not reached" : reached.toPrecision(4)} ${unit}, wanted ${Number(target.toPrecision(4))}`, met ? "good" : "bad"));
    if (converged !== undefined) lines.unshift(line(converged ? `Solved in ${seconds.toFixed(1)} s` : "Not all goals are met", converged ? "good" : "bad"));
    if (stopped) lines.push(line(stopped, "bad"));
    lines.push(line(fell === null ? "Stays up" : `Touches the ground at ${fell.toFixed(2)} s`), line([verdict[0].toUpperCase() + verdict.slice(1), ...reasons].join(": "), { physical: "good", "not physical": "bad" }[verdict]));
    this.result.replaceChildren(...lines);
    this.time = 0;
    this.play(true);
  }

  // -- changing ------------------------------------------------------------------------------------------------------

  /** Index of the key at the present time, or -1. */
  get key() {
    return this.sheet ? this.sheet.keys.findIndex(({ time }) => Math.abs(time - this.time) < 0.004) : -1;
  }

  freeTime() {
    let time = this.sheet.keys[this.key].time;
    do time = Math.round(1000 * (time + 0.5)) / 1000; while (this.sheet.keys.some((key) => Math.abs(key.time - time) < 0.01));
    if (time > this.sheet.seconds) toast("The copy is after the end of the script: increase its length to perform it.");
    return time;
  }

  /** Apply `act` to the key at the present time; add one if there is none. */
  onKey(act) {
    if (this.key < 0) this.send("key", { time: this.time });
    const index = this.key >= 0 ? this.key : this.sheet.keys.filter(({ time }) => time < this.time).length;
    act(index);
  }

  bend(dof, degrees) {
    this.onKey((index) => this.send("angle", { index, dof, degrees }));
  }

  toggle(dof, degrees) {
    const key = this.sheet.keys[this.key];
    if (key && dof in key.angles) this.send("free", { index: this.key, dof });
    else this.bend(dof, degrees);
  }

  drag(handle, place, done) {
    $("pose-hint").classList.add("gone");
    this.onKey((index) => this.send("drag", { index, handle, place, done }));
  }

  entries() {
    this.send("entries", { title: this.title.value, seconds: Number(this.seconds.value) });
  }

  // -- showing -------------------------------------------------------------------------------------------------------

  show(name) {
    this.showing = this.tracks[name] ? name : "keyframes";
    this.live = null;
    this.refresh();
  }

  play(on) {
    this.playing = on;
    this.live = null;
    if (on && this.time >= this.end - 1e-3) this.time = 0;
    if (!on) this.at(this.time);
    this.refresh();
  }

  get end() {
    return this.tracks[this.showing]?.end ?? this.sheet?.seconds ?? 0;
  }

  at(time) {
    const near = this.sheet?.keys.find((key) => Math.abs(key.time - time) < 0.012 * this.sheet.seconds);
    this.time = near ? near.time : Math.round(100 * time) / 100;
    this.live = null;
    if (this.sheet) this.send("at", { time: this.time });
    this.refresh();
  }

  refresh() {
    if (!this.sheet) return;
    const key = this.sheet.keys[this.key];
    this.line.here(this.key);
    this.none.textContent = key ? "" : `No key at ${this.time.toFixed(2)} s: changing the pose adds one.`;
    this.keyBox.hidden = !key;
    this.keyButtons.forEach((button) => { button.disabled = !key; });
    if (key && document.activeElement !== this.keyName) this.keyName.value = key.name;
    if (key && document.activeElement !== this.keyTime) this.keyTime.value = key.time;
    this.views.forEach((button) => {
      button.setAttribute("aria-checked", button.dataset.view === this.showing);
      button.disabled = !this.tracks[button.dataset.view];
    });
    this.compareButton.setAttribute("aria-pressed", this.compare);
    this.playButton.querySelector("path").setAttribute("d", this.playing ? ICONS.pause : ICONS.play);
  }

  frame(seconds) {
    const track = this.tracks[this.showing];
    if (!track || !this.open) return;
    if (this.playing) {
      this.time += seconds;
      if (this.time >= track.end) { this.time = track.end; this.play(false); }
    }
    this.draw(track, this.time, seconds);
    this.line.at(this.time);
    this.clock.innerHTML = `<b>${this.time.toFixed(2)}</b> / ${this.sheet.seconds.toFixed(2)} s`;
    document.documentElement.dataset.posed = "yes";
  }

  draw(track, time, seconds) {
    const { theatre } = this;
    if (this.live && this.showing === "keyframes") placeBodies(theatre.groups, this.live, this.live, 0);
    else track.apply(time, theatre.groups);
    const other = this.showing === "performed" ? this.before ?? this.tracks.keyframes : this.tracks.performed;
    theatre.ghost.visible = this.compare && !!other;
    if (theatre.ghost.visible) other.apply(time, theatre.ghostGroups);
    const links = this.easel.links.map((link) => theatre.groups[this.easel.bodies.indexOf(link)].position);
    theatre.com.set(0, 0, 0);
    links.forEach((place) => theatre.com.addScaledVector(place, 1 / links.length));
    theatre.rest();
    theatre.layGround();
    theatre.follow(seconds);
    this.handles.follow(this.handles.active());
    theatre.draw();
  }

  /** Save a video of the performance. */
  film() {
    this.show("performed");
    this.play(false);
    const track = this.tracks.performed;
    this.filmed(this.sheet.name, track.end, (time, seconds) => this.draw(track, time, seconds));
  }
}
