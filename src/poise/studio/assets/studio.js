// The page: connects its parts.

class Studio {
  constructor() {
    this.theatre = new Theatre($("view"));
    this.events = [];
    this.epoch = 0;
    this.tape = null;
    this.fell = null;
    this.first = {};
    this.wire = new Wire(this.handlers());
    this.choose = new Choose(this.wire);
    this.act = new Act(this.wire, this.choose);
    this.edit = new Edit(this.wire, this.choose);
    this.judge = new Judge(this.wire);
    this.timebar = new Timebar(this.wire);
    this.save = new Save(this.wire, () => this.video());
    this.grab = new Grab(this.theatre, this.wire, () => this.act.pushing());
    this.act.present = this.edit.present = this.grab.present = () => this.timebar.present();
    this.pose = new Pose(this.wire, this.theatre);
    this.pose.filmed = (...what) => this.film(...what);
    this.grab.active = () => document.body.dataset.mode === "perform";
    this.tabs();
    this.toggles();
    this.keys();
    this.pageEvents();
    $("abort").onclick = () => this.wire.send("abort");
    addEventListener("resize", () => { this.theatre.stage.resize(); this.stale = true; });
    busy("opening the studio");
    let before = performance.now();
    const loop = (now) => {
      this.frame(now, Math.min(0.5, (now - before) / 1000));
      before = now;
      requestAnimationFrame(loop);
    };
    requestAnimationFrame(loop);
  }

  /** Handlers of the server's messages, by kind. */
  handlers() {
    return {
      welcome: ({ first }) => { this.first = first; },
      full: ({ text }) => this.wire.ends(text),
      dead: ({ text }) => { busy(""); toast(text, "error"); },
      ready: () => this.wire.send("hello"),
      choices: (choices) => this.offered(choices),
      fits: (message) => this.choose.fits(message),
      brought: ({ name, file }) => this.choose.bring(name, file),
      busy: ({ text }) => busy(text),
      stage: (scene) => this.staged(scene),
      playing: ({ on }) => { this.timebar.playing = on; this.timebar.refresh(); },
      branched: (message) => this.branched(message),
      events: ({ events }) => this.happened(events),
      ground: ({ shapes }) => this.laid(shapes),
      numbers: (numbers) => { this.down(numbers.fell_at); this.judge.update(numbers, this.timebar.playing, this.fallsExpected); this.act.update(numbers); this.edit.measured(numbers); },
      verdict: (summary) => this.judge.verdict(summary),
      error: ({ text, of, id }) => { busy(""); this.choose.wanted.delete(id); $("judge-all").disabled = false; toast(text, "error"); if (of === "stage" || of === "studio") this.choose.restore(); },
      crashed: ({ text, asked }) => this.crashed(text, asked),
      easel: (easel) => this.pose.put(easel),
      sheet: (sheet) => { busy(""); this.mode("pose"); this.pose.showSheet(sheet); },
      track: (track) => this.pose.track(track),
      posed: (message) => this.pose.posed(message),
      solving: ({ text }) => busy(text),
      performed: (message) => this.pose.performed(message),
      frame: (data) => this.taped(data),
      file: (name, content) => this.save.file(name, content),
    };
  }

  /** The choices; a process that replaces another sends them again. */
  offered(choices) {
    if (this.choices) {
      if (document.body.dataset.mode === "perform") this.choose.again(); else this.unstaged = true;
      return;
    }
    this.choices = choices;
    this.act.offer(choices);
    this.edit.offer(choices);
    this.pose.offer(choices);
    this.choose.offer(choices, this.first);
  }

  staged(scene) {
    busy("");
    this.epoch = scene.epoch;
    this.tape = new Tape(scene.bodies.length, scene.dofs.length);
    this.events = [];
    this.stands();
    this.scene = scene;
    const controller = this.choose.described(scene.controller);
    this.fallsExpected = scene.falls_expected; // touching the ground is part of the motion
    if (document.body.dataset.mode === "perform") this.theatre.put(scene);
    this.choose.staged(scene);
    this.act.staged(scene, this.choose.described(scene.guide), this.choices.walker);
    this.edit.staged(scene);
    this.edit.showEvents([]);
    this.judge.staged(scene);
    $("hint-what").textContent = controller.drive;
    $("hint-act").textContent = `Click the body to push it, drag it to pull it${scene.steers ? ", steer it with the arrow keys" : ""}.`;
    Object.assign(this.timebar, { held: null, shown: 0, step: scene.step });
    if (this.timebar.slow !== 1) this.wire.send("playback_rate", { value: this.timebar.slow });
    if (scene.found.length) toast(`${scene.motion}: ${scene.found.filter((line) => !line.startsWith("imported")).map((line) => line.trim().replace(/\s+/g, " ")).join("; ")}`);
    document.title = `${scene.motion} · Poise studio`;
  }

  /** After a fall that is not part of the motion, offer to go back. */
  down(fell) {
    if (fell !== null && this.fell === null && !this.fallsExpected) {
      const back = Math.max(0, fell - 2);
      this.fallen = toast("The character fell.", "note", {
        "Go back two seconds": () => this.wire.send("branch", { time: back, play: true }), "Start again": () => this.wire.send("reset", { play: true }),
      });
    }
    this.fell = fell;
  }

  /** Forget the fall, and the notice of it. */
  stands() {
    this.fell = null;
    this.fallen?.remove();
  }

  branched({ time, epoch, events }) {
    this.epoch = epoch;
    this.tape?.cut(time);
    this.timebar.held = null;
    this.timebar.shown = time;
    if (this.fell !== null && this.fell >= time) this.stands();
    this.happened(events);
  }

  /** Replace the shapes of the ground. */
  laid(ground) {
    this.scene.shapes = [...this.scene.shapes.filter(({ role }) => role !== "ground"), ...ground];
    if (document.body.dataset.mode === "perform") this.theatre.lay(ground);
    this.stale = true;
  }

  happened(events) {
    this.events = events;
    this.stale = true;
    this.edit.showEvents(events);
  }

  taped(data) {
    if (!this.tape || new DataView(data).getUint32(4, true) !== this.epoch) return;
    this.tape.add(data);
    this.timebar.end = this.tape.end;
  }

  crashed(text, asked) {
    const work = busy("");
    toast(work ? `${text} It was ${work}.` : text, asked ? "note" : "error");
    this.stands();
    this.choose.lost(asked);
    this.pose.lost();
    this.timebar.playing = false;
    this.timebar.refresh();
  }

  frame(now, seconds) {
    if (this.filming) return;
    if (document.body.dataset.mode === "pose") return this.pose.frame(seconds);
    if (!this.tape?.frames.length) return;
    const time = this.timebar.moment(this.tape, seconds), moment = `${time} ${this.tape.frames.length} ${this.epoch}`;
    const idle = moment === this.shownAt && !this.grab.held && !this.theatre.moved() && !this.stale;
    const rested = this.resting;
    this.resting = idle;
    if (idle) return this.rest(now);
    this.movedAt = now;
    this.theatre.sharpness.wake();
    this.shownAt = moment;
    this.stale = false;
    this.theatre.lostAt = this.fell === null || this.fallsExpected ? Infinity : this.fell;
    this.theatre.show(this.tape, time, this.events, seconds);
    this.grab.pull(now);
    this.theatre.draw();
    if (!rested && this.theatre.quality === PLAIN) this.theatre.sharpness.drawn(seconds);
    this.judge.draw(this.tape, time, now);
    if (now - (this.refreshed ?? 0) > 100) this.refresh(now, time);
    document.documentElement.dataset.ready = "yes";
  }

  /** Draw nothing; once at full resolution if the pause is long. */
  rest(now) {
    if (!this.timebar.playing && now - this.movedAt > 400) this.theatre.sharpness.rest(() => this.theatre.draw());
  }

  refresh(now, time) {
    this.refreshed = now;
    this.timebar.refresh();
    this.timebar.marks(this.events, this.fell);
    $("tape-length").textContent = `${this.tape.end.toFixed(1)} s`;
    const { a } = this.tape.at(time), pose = this.tape.part(a, "poses"), root = this.scene.bodies.indexOf(this.scene.links[0]);
    const [w, x, y, z] = pose.subarray(7 * root + 3, 7 * root + 7);
    this.act.faces(RADIAN * Math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)));
  }

  tabs() {
    all(".tabs [data-tab]").forEach((button) => {
      button.onclick = () => {
        all("[data-tab]").forEach((part) => {
          const same = part.dataset.tab === button.dataset.tab;
          if (part.matches("section")) part.hidden = !same; else part.setAttribute("aria-selected", same);
        });
      };
    });
    all("#modes [data-mode]").forEach((button) => { button.onclick = () => this.mode(button.dataset.mode); });
  }

  /** Pause while the page is hidden; a clicked button does not keep the keyboard focus. */
  pageEvents() {
    let resume = false;
    document.addEventListener("visibilitychange", () => {
      if (document.hidden) {
        resume = this.timebar.playing;
        if (resume) this.wire.send("play", { on: false });
      } else if (resume) this.wire.send("play", { on: true });
    });
    for (const kind of ["click", "change", "input"]) document.addEventListener(kind, () => { this.stale = true; });
    document.addEventListener("click", ({ detail, target }) => { if (detail) target.closest("button")?.blur(); });
    document.addEventListener("change", ({ target }) => { if (target.matches("select")) target.blur(); });
  }

  mode(name) {
    if (document.body.dataset.mode === name) return;
    document.body.dataset.mode = name;
    this.theatre.sharpness.wake();
    if (name === "pose") {
      this.resumes = this.timebar.playing;
      this.wire.send("play", { on: false });
      this.pose.stage();
    } else if (this.scene) {
      this.theatre.put(this.scene);
      this.stale = true;
      if (this.unstaged) this.choose.again(); else if (this.resumes) this.wire.send("play", { on: true });
      this.unstaged = false;
    }
    all("#modes [data-mode]").forEach((button) => button.setAttribute("aria-selected", button.dataset.mode === name));
  }

  toggles() {
    this.buttons = all("[data-toggle]");
    const show = () => this.buttons.forEach((button) => button.setAttribute("aria-pressed", this.theatre.on[button.dataset.toggle]));
    this.toggle = (name) => { this.theatre.on[name] = !this.theatre.on[name]; this.stale = true; show(); };
    this.buttons.forEach((button) => { button.onclick = () => this.toggle(button.dataset.toggle); });
    $("view-reset").onclick = () => { this.theatre.stage.resetView(); this.stale = true; };
    show();
  }

  keys() {
    const keys = { " ": () => this.timebar.play(), ".": () => $("step").click(), 0: () => $("reset").click(), v: () => $("view-reset").click() };
    this.buttons.forEach(({ dataset }) => { keys[dataset.key] = () => this.toggle(dataset.toggle); });
    addEventListener("keydown", (event) => {
      const act = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
      if (!act || event.ctrlKey || event.metaKey || event.altKey || event.target.matches("select, input, textarea, button")) return;
      if (document.body.dataset.mode !== "perform") return;
      event.preventDefault();
      this.stale = true;
      act();
    });
  }

  /** Save a video of the whole recording. */
  async video() {
    if (!this.tape?.frames.length) return;
    this.wire.send("play", { on: false });
    this.theatre.focus.copy(this.tape.com(this.tape.at(0), this.theatre.com));
    await this.film(this.scene.motion.replace(/\.\w+$/, ""), this.tape.end, (time, seconds) => {
      this.theatre.show(this.tape, time, this.events, seconds);
      this.theatre.draw();
    });
  }

  /** Save a video of what `draw(time, seconds)` draws; the simulation is paused meanwhile. */
  async film(name, seconds, draw) {
    if (this.filming) return;
    this.filming = true;
    const { stage } = this.theatre, bars = all(".film-progress");
    const progress = (share) => bars.forEach((bar) => { bar.hidden = share === null; bar.value = share ?? 0; });
    try {
      stage.film(FILM.width, FILM.height);
      const blob = await film(stage.renderer.domElement, seconds, draw, progress);
      save(`${name}.mp4`, blob, "video/mp4");
      this.save.done(`${name}.mp4`, blob.size);
    } catch (error) {
      toast(`No video: ${error.message}`, "error");
    } finally {
      progress(null);
      stage.resize();
      this.stale = true;
      this.filming = false;
    }
  }
}

try {
  window.studio = new Studio();
} catch (error) {
  console.error(error);
  toast(`This page could not start: ${error.message}. It needs a browser with WebGL 2.`, "error");
}
