// How much is spent on a picture: as much as a graphics card gives, or as little as a processor can draw in time.

const FINE = { antialias: true, shadows: true, roundness: 1, anisotropy: 16 };
const PLAIN = { antialias: false, shadows: false, roundness: 0.4, anisotropy: 1 };

/** `plain` or `fine` in the address decides; otherwise whether there is a graphics card. */
function qualityFor(hash) {
  if (/\bplain\b/.test(hash)) return PLAIN;
  return /\bfine\b/.test(hash) || !drawnBySoftware() ? FINE : PLAIN;
}

function drawnBySoftware() {
  const gl = document.createElement("canvas").getContext("webgl2");
  const told = gl?.getExtension("WEBGL_debug_renderer_info");
  const name = told ? gl.getParameter(told.UNMASKED_RENDERER_WEBGL) : "";
  gl?.getExtension("WEBGL_lose_context")?.loseContext(); // browsers allow only some at a time
  return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
}
