// Goals of a script: wanted quantities, and the variables that may change.

const WANTS = ["flight.height", "flight.x", "com.x", "com.y", "com.z", "com.vx", "com.vz", "root.pitched", "root.yawed"];
const MOMENTS = { time: "at a time", flight: "when it takes off", apex: "at the apex", down: "when it lands" };

class Goals {
  constructor(change) {
    this.change = change;
    this.list = make("div", { className: "goals" });
    this.form = this.build();
    this.element = make("div", {}, this.list, this.form);
  }

  build() {
    const field = (label, input) => make("label", { className: "field" }, make("span", { textContent: label }), input);
    this.name = make("input", { type: "text", placeholder: "e.g. hop", ariaLabel: "Name of the goal" });
    this.what = make("input", { type: "text", ariaLabel: "Wanted quantity", value: "com.z" });
    this.what.setAttribute("list", "wants");
    this.offered = make("datalist", { id: "wants" });
    this.when = make("select", { ariaLabel: "When" });
    fill(this.when, Object.entries(MOMENTS));
    this.time = make("input", { type: "number", step: 0.05, min: 0, value: 1, ariaLabel: "Time of the goal, s" });
    this.is = make("input", { type: "number", step: 0.01, value: 1, ariaLabel: "Wanted value" });
    this.within = make("input", { type: "number", step: 0.005, min: 0, value: 0.01, ariaLabel: "Tolerance" });
    this.free = make("select", { multiple: true, size: 6, ariaLabel: "Variables" });
    this.when.onchange = () => { this.time.hidden = this.when.value !== "time"; };
    const add = make("button", { textContent: "Add goal", className: "wide", onclick: () => this.add() });
    return make("details", { className: "goal-form" }, make("summary", { textContent: "Add a goal" }), this.offered,
      field("Name", this.name), field("Wanted", this.what), make("div", { className: "line" }, this.when, this.time),
      make("div", { className: "line pair" }, "is", this.is, "within", this.within),
      make("p", { className: "what", textContent: "Variables that may change (hold Ctrl for several):" }), this.free, add);
  }

  add() {
    const free = [...this.free.selectedOptions].map(({ value }) => value);
    const want = { what: this.what.value.trim(), is: Number(this.is.value), within: Number(this.within.value) };
    if (!want.what.startsWith("flight.")) want.at = this.when.value === "time" ? Number(this.time.value) : this.when.value;
    const goal = { name: this.name.value.trim() || `goal ${this.goals.length + 1}`, free, want: [want] };
    this.form.open = false;
    this.change([...this.goals, goal]);
  }

  offer(links) {
    this.offered.replaceChildren(...[...WANTS, ...links.flatMap((link) => ["x", "y", "z"].map((axis) => `${link}.${axis}`))].map((value) => make("option", { value })));
  }

  show({ goals, keys }) {
    this.goals = goals;
    const later = keys.filter(({ time }) => time > 0);
    const both = (angles) => Object.keys(angles).filter((angle) => angle.startsWith("left_") && angle.replace("left_", "right_") in angles).map((angle) => angle.replace("left_", ""));
    fill(this.free, Object.fromEntries(later.map(({ name, angles }) => [name, [...both(angles), ...Object.keys(angles), "time"].map((angle) => [`${name}.${angle}`, `${name} · ${angle.replaceAll("_", " ")}`])])));
    const label = (free) => (typeof free === "string" ? free : free.what);
    this.list.replaceChildren(...goals.map((goal, index) => {
      const off = make("button", { textContent: "✕", className: "quiet small", ariaLabel: `Delete goal ${goal.name ?? index + 1}`, onclick: () => this.change(goals.filter((_, k) => k !== index)) });
      const wants = (goal.want ?? []).map(({ what, at, is }) => `${what} = ${JSON.stringify(is)}${at === undefined ? "" : ` ${typeof at === "number" ? `at ${at} s` : MOMENTS[at] ?? at}`}`);
      return make("div", { className: "goal" }, make("b", { textContent: goal.name ?? `goal ${index + 1}` }), off,
        ...wants.map((text) => make("p", { textContent: text })),
        make("p", { className: "what", textContent: `may change ${(goal.free ?? []).map(label).join(", ")}${goal.solved ? " (solved)" : ""}` }));
    }));
  }
}
