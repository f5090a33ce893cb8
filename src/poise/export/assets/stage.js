// The stage: renderer, lights, sky, floor pattern and camera.

const LOOK = {
  sky: "#f6f8fa", horizon: "#e4e9ee", contact: "#1f9a85", push: "#d9482b", com: "#e3a008", ghost: "#8dbcff",
};

/** Texture of one square metre of floor: a line along its border and a fainter one every 0.25 m. */
function floorTexture(renderer, { anisotropy }) {
  const side = 512, canvas = document.createElement("canvas");
  canvas.width = canvas.height = side;
  const pen = canvas.getContext("2d");
  pen.fillStyle = "#ffffff";
  pen.fillRect(0, 0, side, side);
  const rule = (at, width, style) => {
    pen.fillStyle = style;
    pen.fillRect(at - width / 2, 0, width, side);
    pen.fillRect(0, at - width / 2, side, width);
  };
  for (let k = 1; k < 4; k++) rule((k * side) / 4, 3, "#f3f5f7");
  rule(0, 10, "#d5dce3");
  rule(side, 10, "#d5dce3");
  const texture = new THREE.CanvasTexture(canvas);
  texture.wrapS = texture.wrapT = THREE.RepeatWrapping;
  texture.colorSpace = THREE.SRGBColorSpace;
  texture.anisotropy = Math.min(anisotropy, renderer.capabilities.getMaxAnisotropy());
  return texture;
}

function skyDome() {
  const geometry = new THREE.SphereGeometry(400, 24, 24).rotateX(Math.PI / 2);
  const { position } = geometry.attributes;
  const low = new THREE.Color(LOOK.horizon), high = new THREE.Color(LOOK.sky), mixed = new THREE.Color();
  const colours = new Float32Array(position.count * 3);
  for (let k = 0; k < position.count; k++) {
    mixed.lerpColors(low, high, Math.min(1, Math.max(0, position.getZ(k) / 160))).toArray(colours, 3 * k);
  }
  geometry.setAttribute("color", new THREE.BufferAttribute(colours, 3));
  const material = new THREE.MeshBasicMaterial({
    vertexColors: true, side: THREE.BackSide, fog: false, depthWrite: false, toneMapped: false,
  });
  const dome = new THREE.Mesh(geometry, material);
  dome.renderOrder = -1;
  return dome;
}

class Stage {
  constructor(canvas, span, view, { antialias, shadows }) {
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias });
    this.renderer.shadowMap.enabled = shadows;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.scene = new THREE.Scene();
    this.dome = skyDome();
    this.scene.add(this.dome, new THREE.HemisphereLight("#ffffff", "#c9ccd2", 1.9));
    this.sun = new THREE.DirectionalLight("#fff4e6", 2.1);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.radius = 5;
    const fill = new THREE.DirectionalLight("#dfeaff", 0.5);
    fill.position.set(-2, 1.5, 1);
    this.scene.add(this.sun, this.sun.target, fill);

    this.camera = new THREE.PerspectiveCamera(32, 1, 0.1, 1000);
    this.camera.up.set(0, 0, 1);
    this.controls = new THREE.OrbitControls(this.camera, canvas);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.12;
    this.controls.maxPolarAngle = 0.53 * Math.PI;
    this.focus = new THREE.Vector3();
    this.sharpness = 1; // rendered pixels per screen pixel, along each axis
    this.fit(span, view);
  }

  /** Scale everything to `span`, the performer's size in m; `view` is the initial camera position. */
  fit(span, view) {
    Object.assign(this, { span, view });
    this.scene.fog = new THREE.Fog(LOOK.horizon, 9 * span, 30 * span);
    this.sunOffset = new THREE.Vector3(1.1, -0.9, 2.6).multiplyScalar(2 * span);
    this.sun.shadow.normalBias = 0.004 * span;
    const box = this.sun.shadow.camera, reach = 1.9 * span;
    Object.assign(box, { left: -reach, right: reach, top: reach, bottom: -reach, near: 0.1, far: 16 * span });
    box.updateProjectionMatrix();
    this.camera.near = 0.02 * span;
    this.controls.minDistance = 0.3 * span;
    this.controls.maxDistance = 25 * span;
  }

  /** Move the camera back to its initial position relative to the focus. */
  resetView() {
    const { azimuth, elevation, distance } = this.view;
    const narrow = Math.max(1, Math.sqrt(1 / this.camera.aspect));
    const [a, e] = [azimuth, elevation].map((degrees) => (degrees * Math.PI) / 180);
    this.controls.target.copy(this.focus);
    this.camera.position.set(Math.cos(e) * Math.cos(a), Math.cos(e) * Math.sin(a), Math.sin(e))
      .multiplyScalar(distance * this.span * narrow).add(this.focus);
    this.controls.update();
  }

  /** Move the light, and if `follow` the camera, with the performer. */
  track(focus, follow) {
    if (follow) {
      const shift = focus.clone().sub(this.focus);
      this.controls.target.add(shift);
      this.camera.position.add(shift);
    }
    this.focus.copy(focus);
    this.sun.target.position.copy(focus);
    this.sun.position.copy(focus).add(this.sunOffset);
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.renderer.domElement;
    this.renderer.setPixelRatio(this.sharpness * Math.min(devicePixelRatio, 2));
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.setViewOffset(width, height, 0, 0.045 * height, width, height); // leaves room for the control bar
  }

  /** Draw at a fixed size, independent of the page, until `resize`. */
  film(width, height) {
    this.renderer.setPixelRatio(1);
    this.renderer.setSize(width, height, false);
    this.camera.clearViewOffset();
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
  }

  draw() {
    this.dome.position.copy(this.camera.position);
    this.renderer.render(this.scene, this.camera);
  }
}
