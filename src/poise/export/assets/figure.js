// Bodies, props and terrain: MuJoCo's geoms as meshes.

/** Rotate from three.js's axis of capsules and cylinders, y, to MuJoCo's, z. */
const upright = (geometry) => geometry.rotateX(Math.PI / 2);

/** Side (m) of the square that stands for an infinite plane. */
const ENDLESS = 4000;

const BUILDERS = {
  sphere: ({ size }, round) => new THREE.SphereGeometry(size[0], round(40), round(28)),
  capsule: ({ size }, round) => upright(new THREE.CapsuleGeometry(size[0], 2 * size[1], round(14), round(36))),
  cylinder: ({ size }, round) => upright(new THREE.CylinderGeometry(size[0], size[0], 2 * size[1], round(48))),
  ellipsoid: ({ size }, round) => new THREE.SphereGeometry(1, round(40), round(28)).scale(...size),
  box: ({ size, role, position }, round) => {
    const sides = size.map((half) => 2 * half);
    return role === "ground"
      ? ruled(new THREE.BoxGeometry(...sides), position)
      : new THREE.RoundedBoxGeometry(...sides, round(4), 0.3 * Math.min(...size));
  },
  plane: ({ size }) => {
    const [width, depth] = size.slice(0, 2).map((half) => (half > 0 ? 2 * half : ENDLESS));
    return metred(new THREE.PlaneGeometry(width, depth));
  },
  hfield: ({ size, field }) => {
    const { rows, columns } = field, heights = unpack(field.heights);
    const geometry = new THREE.PlaneGeometry(2 * size[0], 2 * size[1], columns - 1, rows - 1);
    const { position } = geometry.attributes; // three.js runs from +y to -y, MuJoCo from -y to +y
    for (let k = 0; k < position.count; k++) {
      const row = rows - 1 - Math.floor(k / columns);
      position.setZ(k, size[2] * heights[row * columns + (k % columns)]);
    }
    geometry.computeVertexNormals();
    return metred(geometry);
  },
  mesh: ({ surface }) => {
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(unpack(surface.vertices), 3));
    geometry.setIndex(new THREE.BufferAttribute(unpack(surface.faces), 1));
    geometry.computeVertexNormals();
    return geometry;
  },
};

function shaped(shape, { roundness }) {
  return BUILDERS[shape.type](shape, (segments) => Math.ceil(roundness * segments));
}

/** Set texture coordinates in metres, so that the floor's grid shows distances. */
function metred(geometry) {
  const { position, uv } = geometry.attributes;
  for (let k = 0; k < position.count; k++) uv.setXY(k, position.getX(k), position.getY(k));
  return geometry;
}

/** Put the metre grid on the top of a box but not on its sides; on level, unrotated boxes it continues that of the floor. */
function ruled(geometry, [x, y]) {
  const { position, normal, uv } = geometry.attributes;
  for (let k = 0; k < position.count; k++) {
    if (normal.getZ(k) > 0.5) uv.setXY(k, position.getX(k) + x, position.getY(k) + y); else uv.setXY(k, 0.1, 0.1);
  }
  return geometry;
}

function paint({ rgba, role, type }, floor) {
  const [r, g, b, alpha] = rgba;
  const flat = type === "plane" || type === "hfield" || role === "ground";
  return new THREE.MeshStandardMaterial({
    color: new THREE.Color().setRGB(r, g, b, THREE.SRGBColorSpace),
    roughness: role === "ground" ? 0.95 : 0.62,
    metalness: 0,
    map: flat ? floor : null,
    transparent: alpha < 1,
    opacity: alpha,
  });
}

function place(object, { position, rotation }) {
  object.position.set(...position);
  object.quaternion.set(rotation[1], rotation[2], rotation[3], rotation[0]);
  return object;
}

/** Build a group of meshes for each moving body; fixed shapes are added to `scene` directly. */
function buildFigure(shapes, bodies, scene, floor, quality) {
  const groups = bodies.map(() => new THREE.Group());
  for (const shape of shapes) {
    const geometry = shaped(shape, quality);
    const mesh = place(new THREE.Mesh(geometry, paint(shape, floor)), shape);
    mesh.castShadow = shape.type !== "plane" && shape.rgba[3] > 0.5;
    mesh.receiveShadow = true;
    mesh.userData.role = shape.role;
    if (shape.role === "ground" && shape.type === "box") mesh.add(edges(geometry));
    (groups[shape.body] ?? scene).add(mesh);
  }
  scene.add(...groups);
  return groups;
}

/** Outlines that make stairs visible in flat light. */
function edges(geometry) {
  const material = new THREE.LineBasicMaterial({ color: "#6f7a87", transparent: true, opacity: 0.6 });
  return new THREE.LineSegments(new THREE.EdgesGeometry(geometry), material);
}

/** Build a translucent copy of the performers. A depth pass comes first, so that overlapping limbs are blended once. */
function buildGhost(shapes, bodies, scene, quality) {
  const behind = { polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 4 }; // where they coincide, the body is drawn
  const depth = new THREE.MeshBasicMaterial({ ...behind, colorWrite: false });
  const tint = new THREE.MeshStandardMaterial({
    ...behind, color: LOOK.ghost, transparent: true, opacity: 0.45, depthFunc: THREE.EqualDepth, depthWrite: false, roughness: 1,
  });
  const groups = bodies.map(() => new THREE.Group());
  const ghost = new THREE.Group();
  for (const shape of shapes) {
    if (shape.role !== "performer") continue;
    const geometry = shaped(shape, quality);
    [depth, tint].forEach((material, pass) => {
      const mesh = place(new THREE.Mesh(geometry, material), shape);
      mesh.renderOrder = 5 + pass;
      groups[shape.body].add(mesh);
    });
  }
  ghost.add(...groups);
  scene.add(ghost);
  return { ghost, groups };
}
