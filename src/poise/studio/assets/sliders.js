// Sliders for every angle of the pose, by parts of the body; a filled dot marks an angle that the key sets.

const WAYS = { x: "sideways", y: "bend", z: "twist" }; // rotations about the body's axes
const PARTS = { root: "Hips", trunk: "Trunk", head: "Head", left_arm: "Left arm", right_arm: "Right arm", left_leg: "Left leg", right_leg: "Right leg" };

class Sliders {
  /** bend(name, degrees) is called when a slider moves, toggle(name, degrees) when its dot is clicked. */
  constructor(bend, toggle) {
    Object.assign(this, { bend, toggle });
    this.element = make("div", { id: "sliders" });
    this.rows = {};
  }

  put(angles) {
    const groups = new Map(), names = angles.map(({ name }) => name);
    this.rows = {};
    for (const { name, group, low, high } of angles) {
      const input = make("input", { type: "range", min: Math.floor(low), max: Math.ceil(high), step: 1, value: 0, ariaLabel: name });
      const dot = make("button", { className: "dot", ariaLabel: `${name} in this key`, onclick: () => this.toggle(name, Number(input.value)) });
      const row = make("label", { className: "range angle", title: name }, make("span", {}, dot, spokenAngle(name, names)), input, make("output"));
      labelled(input, (value) => `${value.toFixed(0)}°`).addEventListener("change", () => this.bend(name, Number(input.value)));
      this.rows[name] = { input, dot };
      groups.set(group, [...(groups.get(group) ?? []), row]);
    }
    this.element.replaceChildren(...[...groups].map(([group, rows]) => make("details", { open: group === "trunk" },
      make("summary", { textContent: PARTS[group] ?? group.replaceAll("_", " ") }), ...rows)));
  }

  /** Show the angles of the pose (degrees), and which of them the key sets. */
  show(angles, set) {
    for (const [name, { input, dot }] of Object.entries(this.rows)) {
      if (document.activeElement !== input) input.value = angles[name];
      input.show();
      dot.classList.toggle("set", name in set);
    }
  }
}

/** Readable name of an angle; that of the joint if it has only one. */
function spokenAngle(name, all) {
  const [, joint, axis] = /^(?:left_|right_)?(.+?)(?:_([xyz]))?$/.exec(name), stem = name.slice(0, -1);
  const alone = all.filter((other) => other.startsWith(stem)).length < 2;
  return joint.replaceAll("_", " ") + (axis && !alone ? `, ${WAYS[axis]}` : "");
}
