// The parts of three.js that the page uses; README.md describes how three.bundle.min.js is built from it.
export {
  BackSide, BoxGeometry, BufferAttribute, BufferGeometry, CanvasTexture, CapsuleGeometry, Color,
  ConeGeometry, CylinderGeometry, CatmullRomCurve3, DirectionalLight, DoubleSide, EdgesGeometry, EqualDepth, Fog, GreaterDepth, Group,
  HemisphereLight, Line, LineBasicMaterial, LineSegments, Mesh, MeshBasicMaterial, MeshStandardMaterial,
  NeutralToneMapping, PCFShadowMap, PerspectiveCamera, Plane, PlaneGeometry, Quaternion, Raycaster, RepeatWrapping, SRGBColorSpace,
  Scene, SphereGeometry, TorusGeometry, TubeGeometry, Vector2, Vector3, WebGLRenderer,
} from "three";
export { OrbitControls } from "three/addons/controls/OrbitControls.js";
export { RoundedBoxGeometry } from "three/addons/geometries/RoundedBoxGeometry.js";
