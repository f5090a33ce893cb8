// Time: play, pause, single steps, slow motion, the scrubber, and continuing from a past moment.

const RARE = 0.03; // s between frames above which interpolation only adds delay
const ICONS = { play: "M6 3l12 7-12 7z", pause: "M5 3h4v14H5zM11 3h4v14h-4z" };

class Timebar {
  constructor(wire) {
    this.wire = wire;
    this.playing = false;
    this.slow = 1;
    this.step = 0; // s of the simulation
    this.held = null; // time of the past that is shown, or null for the present
    $("play").onclick = () => this.play();
    $("step").onclick = () => { if (this.held === null) wire.send("step"); else this.hold(this.held + this.step); };
    $("reset").onclick = () => { this.held = null; wire.send("reset", { play: true }); };
    $("scrub").oninput = () => this.hold(Number($("scrub").value) * this.end);
    $("branch").onclick = () => { wire.send("branch", { time: this.held, play: true }); };
    $("live").onclick = () => this.release();
    $("slow").onchange = () => { this.slow = Number($("slow").value); wire.send("playback_rate", { value: this.slow }); $("slow").blur(); };
    this.end = 0;
    this.shown = 0;
  }

  play() {
    if (this.held !== null) return this.wire.send("branch", { time: this.held, play: true });
    this.wire.send("play", { on: !this.playing });
  }

  /** Continue from the past moment that is shown, before an action. */
  present() {
    if (this.held === null) return;
    this.wire.send("branch", { time: this.held, play: true });
    this.held = null;
  }

  hold(time) {
    if (this.playing) this.wire.send("play", { on: false });
    this.held = time >= this.end - 1e-6 ? null : time;
    this.refresh();
  }

  release() {
    this.held = null;
    this.refresh();
  }

  /** The time to show, `seconds` after the previous one: the present, interpolated between frames, or the past moment. */
  moment(tape, seconds) {
    if (this.held !== null) return this.held;
    const next = this.shown + (this.playing ? this.slow * seconds : 0), behind = tape.end - next;
    const rare = seconds > RARE, far = rare || Math.abs(behind) > 0.15 || !this.playing;
    this.shown = far ? tape.end : Math.min(tape.end, next + 0.25 * (behind - 0.012 * this.slow));
    return this.shown;
  }

  refresh() {
    const past = this.held !== null;
    $("past").hidden = !past;
    $("hint").hidden = past;
    $("play").querySelector("path").setAttribute("d", this.playing ? ICONS.pause : ICONS.play);
    $("scrub").value = this.end ? (past ? this.held / this.end : 1) : 1;
    $("clock").innerHTML = past ? `<b>${this.held.toFixed(2)}</b> / ${this.end.toFixed(2)} s` : `<b>${this.end.toFixed(2)}</b> s`;
  }

  marks(events, fell) {
    const all = events.filter(({ time }) => time !== undefined).map(({ time, kind }) => ({ time, kind }));
    if (fell !== null && fell !== undefined) all.push({ time: fell, kind: "fall" });
    $("marks").replaceChildren(...all.slice(-200).map(({ time, kind }) => {
      const mark = make("i", { className: kind });
      mark.style.left = `${this.end ? (100 * time) / this.end : 0}%`;
      return mark;
    }));
  }
}
