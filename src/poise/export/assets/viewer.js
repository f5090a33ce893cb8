// The player: time, controls, keys and options in the address (#t=1.2&paused&ghost=0&azimuth=30&bare&fine).

const $ = (id) => document.getElementById(id);
const ICONS = { play: "M5 3l12 7-12 7z", pause: "M5 3h4v14H5zM11 3h4v14h-4z" };

class Player {
  constructor(data, options) {
    const { span, azimuth, weight, shapes, bodies } = data, quality = qualityFor(location.hash);
    this.timeline = new Timeline(unpack(data.times));
    this.stage = new Stage($("view"), span, {
      azimuth: Number(options.get("azimuth") ?? azimuth),
      elevation: Number(options.get("elevation") ?? 13),
      distance: Number(options.get("distance") ?? 3.1),
    }, quality);
    const { scene, renderer } = this.stage;
    this.poses = new Poses(data.poses, bodies.length);
    this.groups = buildFigure(shapes, bodies, scene, floorTexture(renderer, quality), quality);
    this.focus = new Points(data.focus, 1);
    if (data.ghost) {
      this.ghostPoses = new Poses(data.ghost, bodies.length);
      ({ ghost: this.ghost, groups: this.ghostGroups } = buildGhost(shapes, bodies, scene, quality));
    }
    this.frameContacts = new FrameContacts(data.contacts);
    this.contacts = new Contacts(scene, span, weight);
    this.pushes = new Pushes(scene, span, weight);
    this.allPushes = data.pushes;
    this.weights = new Weights(data.weights, this.groups);
    this.com = new CentreOfMass(new Points(data.com, data.performers), this.timeline, scene, span);

    this.has = { ghost: !!data.ghost, contacts: !this.frameContacts.empty, pushes: data.pushes.length > 0,
      com: data.performers > 0, follow: true };
    this.on = { ghost: false, contacts: false, pushes: true, com: false, follow: true };
    for (const name of Object.keys(this.on)) {
      if (options.has(name)) this.on[name] = options.get(name) !== "0";
      this.on[name] &&= this.has[name];
    }
    this.time = this.clamp(this.timeline.start + Number(options.get("t") ?? 0));
    this.speed = 1;
    this.playing = !options.has("paused");
    this.target = new THREE.Vector3();
    this.stale = true;
    this.stage.resize();
    this.pose();
    this.stage.resetView();
  }

  clamp(time) {
    return Math.min(this.timeline.end, Math.max(this.timeline.start, time));
  }

  /** Update everything on the stage to the current time. */
  pose() {
    const where = this.timeline.locate(this.time), { on } = this;
    this.poses.apply(where, this.groups);
    if (this.ghost) {
      this.ghost.visible = on.ghost;
      if (on.ghost) this.ghostPoses.apply(where, this.ghostGroups);
    }
    this.contacts.show(on.contacts ? this.frameContacts.at(where) : []);
    this.pushes.show(on.pushes ? this.allPushes : [], this.time, this.groups);
    this.weights.show(this.time);
    this.com.show(where, on.com);
    this.stage.track(this.focus.at(where, 0, this.target), on.follow);
  }

  seek(time) {
    this.time = this.clamp(time);
    this.stale = true;
  }

  /** Advance by `elapsed` seconds of real time; the performance repeats. */
  advance(elapsed) {
    if (!this.playing) return;
    const next = this.time + this.speed * elapsed;
    this.seek(next > this.timeline.end ? this.timeline.start : next);
  }

  toggle(name) {
    if (!this.has[name]) return;
    this.on[name] = !this.on[name];
    if (name === "follow" && this.on.follow) {
      const shift = this.stage.focus.clone().sub(this.stage.controls.target);
      this.stage.controls.target.add(shift);
      this.stage.camera.position.add(shift);
    }
    this.stale = true;
  }

  /** Draw if anything has changed. */
  draw() {
    if (this.stale) this.pose();
    const moved = this.stage.controls.update();
    if (this.stale || moved) this.stage.draw();
    const drawn = this.stale;
    this.stale = false;
    return drawn;
  }
}

/** Connect buttons, scrubber, clock and keys to the player; returns a function that shows the player's state in them. */
function connect(player, marks) {
  const { timeline } = player;
  const length = timeline.end - timeline.start;
  const scrub = $("scrub"), speed = $("speed"), icon = $("play").querySelector("path");
  const toggles = [...document.querySelectorAll("[data-toggle]")];
  const play = () => { player.playing = !player.playing; player.stale = true; };
  const step = (frames) => {
    const { frame, fraction } = timeline.locate(player.time);
    const index = Math.min(timeline.times.length - 1, Math.max(0, frame + (fraction > 0.5 ? 1 : 0) + frames));
    player.playing = false;
    player.seek(timeline.times[index]);
  };
  const pace = (by) => {
    speed.selectedIndex = Math.min(speed.length - 1, Math.max(0, speed.selectedIndex + by));
    player.speed = Number(speed.value);
  };

  $("play").onclick = play;
  scrub.oninput = () => { player.playing = false; player.seek(timeline.start + length * Number(scrub.value)); };
  speed.onchange = () => { player.speed = Number(speed.value); speed.blur(); };
  toggles.forEach((button) => {
    button.disabled = !player.has[button.dataset.toggle];
    button.onclick = () => player.toggle(button.dataset.toggle);
  });
  for (const { time, kind } of marks) {
    const mark = document.createElement("i");
    mark.className = kind;
    mark.style.left = `${(100 * (time - timeline.start)) / (length || 1)}%`;
    $("marks").append(mark);
  }

  const keys = {
    " ": play, ArrowLeft: () => step(-1), ArrowRight: () => step(1), "[": () => pace(-1), "]": () => pace(1),
    Home: () => player.seek(timeline.start), End: () => player.seek(timeline.end),
    r: () => { player.stage.resetView(); player.stale = true; }, h: () => document.body.classList.toggle("bare"),
  };
  toggles.forEach(({ dataset }) => { keys[dataset.key] = () => player.toggle(dataset.toggle); });
  addEventListener("keydown", (event) => {
    const act = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey || event.target === speed) return;
    event.preventDefault();
    act();
  });
  addEventListener("resize", () => { player.stage.resize(); player.stale = true; });

  return () => {
    const seconds = (time) => (time - timeline.start).toFixed(2);
    scrub.value = length ? (player.time - timeline.start) / length : 0;
    $("clock").innerHTML = `<b>${seconds(player.time)}</b> / ${seconds(timeline.end)} s`;
    icon.setAttribute("d", player.playing ? ICONS.pause : ICONS.play);
    toggles.forEach((b) => b.setAttribute("aria-pressed", player.on[b.dataset.toggle]));
  };
}

function start() {
  const options = new URLSearchParams(location.hash.slice(1));
  const data = JSON.parse($("performance").textContent);
  document.body.classList.toggle("bare", options.has("bare"));
  const player = new Player(data, options);
  const refresh = connect(player, data.marks);
  let before = null;
  const loop = (now) => {
    player.advance(before === null ? 0 : Math.min(0.1, (now - before) / 1000));
    before = now;
    if (player.draw()) refresh();
    document.documentElement.dataset.ready = "yes";
    requestAnimationFrame(loop);
  };
  requestAnimationFrame(loop);
}

try {
  start();
} catch (error) {
  console.error(error);
  const failure = document.createElement("p");
  failure.id = "failure";
  failure.textContent = `This page could not start: ${error.message}. It needs a browser with WebGL 2.`;
  document.body.append(failure);
}
