// Present numbers, plots and the verdict.

const PLOTS = {
  angle: { label: "Joint angle", unit: "°", of: "dofs" },
  torque: { label: "Joint torque", unit: "N m", of: "dofs" },
  contact: { label: "Contact force", unit: "N", of: "links" },
  com: { label: "Centre of mass", unit: "m", of: "axes" },
  error: { label: "Tracking error", unit: "°", of: "none" },
};

class Judge {
  constructor(wire) {
    this.wire = wire;
    this.plot = new Plot($("plot"));
    this.drawn = 0;
    fill($("plot-what"), Object.entries(PLOTS).map(([name, { label }]) => [name, label]));
    $("plot-what").onchange = () => { this.offerParts(); this.drawn = 0; };
    $("plot-which").onchange = () => { this.drawn = 0; };
    $("judge-all").onclick = () => { $("judge-all").disabled = true; wire.send("judge"); };
  }

  staged(scene) {
    this.scene = scene;
    this.offerParts();
    $("verdict").replaceChildren();
  }

  offerParts() {
    const { scene } = this, kind = PLOTS[$("plot-what").value].of, select = $("plot-which"), was = select.value;
    const parts = { dofs: scene.dofs.slice(6), links: [...new Set([...scene.feet, ...scene.hands, ...scene.links])], axes: ["height", "ahead", "left"], none: [] }[kind];
    const usual = { dofs: parts.find((name) => name.includes("knee")) ?? parts[0], links: parts[0], axes: "height" }[kind];
    fill(select, parts.map((name) => [name, name.replaceAll("_", " ")]), parts.includes(was) ? was : usual);
    select.hidden = !parts.length;
  }

  lines(tape) {
    const which = $("plot-which").value, dof = this.scene.dofs.indexOf(which), red = "#c2563c", blue = "#7fa6d8";
    const angle = (part) => (frame) => RADIAN * tape.part(frame, part)[dof];
    switch ($("plot-what").value) {
      case "angle": return [{ name: "reference", colour: blue, dash: [5, 3], value: angle("wanted") }, { name: "performed", colour: red, value: angle("angles") }];
      case "torque": return [{ name: "torque", colour: red, value: (frame) => tape.part(frame, "torque")[dof] }];
      case "contact": {
        const body = this.scene.bodies.indexOf(which);
        return [{ name: "upwards", colour: "#1f9a85", value: (frame) => tape.contacts(frame).reduce((sum, c) => sum + (c.body === body ? c.force[2] : 0), 0) }];
      }
      case "com": return [{ name: which, colour: "#c98a00", value: (frame) => tape.part(frame, "com")[{ ahead: 0, left: 1, height: 2 }[which]] }];
      default: return [{ name: "all joints, RMS", colour: red, value: (frame) => trackingError(tape, frame) }];
    }
  }

  draw(tape, time, now) {
    if ($("plot").offsetParent === null || now - this.drawn < 50 || !tape.frames.length) return;
    this.drawn = now;
    const lines = this.lines(tape), { unit } = PLOTS[$("plot-what").value];
    this.plot.draw(tape.frames, tape.indexAt(Math.max(0, time - WINDOW)), tape.indexAt(time), time, lines, unit);
    const legend = lines.map(({ name, colour, dash }) => `${colour}${dash ? "dashed" : "solid"}${name}`).join();
    if (legend === this.legend) return;
    this.legend = legend;
    $("plot-legend").replaceChildren(...lines.map(({ name, colour, dash }) => {
      const key = make("i");
      key.style.borderTop = `2px ${dash ? "dashed" : "solid"} ${colour}`;
      return make("span", {}, key, name);
    }));
  }

  /** Simulated seconds per second, over about the last second. */
  pace(time, playing) {
    const now = performance.now(), { was } = this;
    if (!playing || !was || time < was.time) this.was = { now, time, pace: null };
    else if (now - was.now > 800) this.was = { now, time, pace: (1000 * (time - was.time)) / (now - was.now) };
    return playing ? this.was.pace : 0;
  }

  update({ time, fell_at: fell, verdict, reason, track_deg: track, power, strain, real_time_factor: factor }, playing, fallsExpected) {
    const state = fell === null ? "good" : fallsExpected ? "" : "bad";
    const put = (id, text, kind = "") => { $(id).innerHTML = text; $(id).className = kind; };
    put("n-speed", `${this.pace(time, playing)?.toFixed(2) ?? "–"}× <small>up to ${factor.toFixed(0)}×</small>`);
    put("n-fall", fell === null ? "stays up" : `fell at ${fell.toFixed(2)} s`, state);
    put("n-track", `${track.toFixed(1)}° <small>per joint</small>`);
    put("n-power", `${power.toFixed(0)} W`);
    put("n-strain", `${(100 * strain).toFixed(0)} % <small>of its limit</small>`);
    const kind = { physical: "good", "not physical": "bad" }[verdict] ?? "";
    put("n-audit", verdict || "…", kind);
    this.chip("chip-state", fell === null ? "On its feet" : fallsExpected ? "Touches the ground" : `Fell at ${fell.toFixed(1)} s`, state);
    this.chip("chip-physics", verdict ? verdict[0].toUpperCase() + verdict.slice(1) : "Not judged yet", kind);
    if (reason) $("chip-physics").title = reason;
    this.chip("chip-speed", `${factor.toFixed(0)}× real time`, "");
  }

  chip(id, text, kind) {
    $(id).className = `chip ${kind}`;
    $(id).lastElementChild.textContent = text;
  }

  verdict({ audit, verdict, reasons, likeness, fell_at: fell, tracking, foot_slip_mm_s: slip, seconds }) {
    $("judge-all").disabled = false;
    const rows = [
      [`${seconds.toFixed(2)} s, ${fell === null ? "stayed up" : `fell at ${fell.toFixed(2)} s`}`, verdict, verdict === "not physical", reasons.join("\n")],
      ["tracking error, joints RMS", `${tracking.joint_rms_deg?.toFixed(2) ?? "–"}°`], ["foot slip", `${slip.toFixed(2)} mm/s`],
      ...likeness.map((line) => line.split(": ")),
      ...Object.entries(audit).map(([name, { value, unit, passed, meaning }]) => [name.replaceAll("_", " "), `${measured(value)} ${unit.replace(" x ", " × ")}`, !passed, meaning]),
    ];
    $("verdict").replaceChildren(make("table", {}, ...rows.map(([name, value, bad, title = ""]) =>
      make("tr", { className: bad ? "fail" : "", title }, make("td", { textContent: name }), make("td", { textContent: value })))));
  }
}

/** Three significant digits; rounding errors become 0. */
function measured(value) {
  if (value === null) return "∞";
  return Math.abs(value) < 1e-6 ? "0" : `${Number(value.toPrecision(3))}`;
}

/** RMS difference of the joint angles from the reference, degrees. */
function trackingError(tape, frame) {
  const is = tape.part(frame, "angles"), wanted = tape.part(frame, "wanted");
  let sum = 0;
  for (let k = 6; k < is.length; k++) sum += (is[k] - wanted[k]) ** 2;
  return RADIAN * Math.sqrt(sum / Math.max(1, is.length - 6));
}
