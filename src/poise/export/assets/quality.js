// Rendering quality: full for graphics cards, reduced for software rendering.

const FINE = { antialias: true, shadows: true, roundness: 1, anisotropy: 16 };
const PLAIN = { antialias: false, shadows: false, roundness: 0.4, anisotropy: 1 };

/** Choose the quality: `plain` or `fine` in the address, otherwise by whether there is a graphics card. */
function qualityFor(hash) {
  if (/\bplain\b/.test(hash)) return PLAIN;
  return /\bfine\b/.test(hash) || !drawnBySoftware() ? FINE : PLAIN;
}

function drawnBySoftware() {
  const gl = document.createElement("canvas").getContext("webgl2");
  const info = gl?.getExtension("WEBGL_debug_renderer_info");
  const name = info ? gl.getParameter(info.UNMASKED_RENDERER_WEBGL) : "";
  gl?.getExtension("WEBGL_lose_context")?.loseContext(); // browsers limit the number of contexts
  return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
}
