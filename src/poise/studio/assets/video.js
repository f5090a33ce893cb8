// A video of the performance from the present view, drawn frame by frame, however long that takes.

const FILM = { width: 1280, height: 720, rate: 30, bitrate: 6e6 };
const CODECS = ["avc1.640028", "avc1.4d0028", "avc1.42e01f", "vp09.00.31.08"];

/** The first codec that this browser supports. */
async function encoding() {
  if (typeof VideoEncoder === "undefined") throw new Error("this browser cannot encode video");
  for (const codec of CODECS) {
    const config = { codec, width: FILM.width, height: FILM.height, framerate: FILM.rate, bitrate: FILM.bitrate };
    if (codec.startsWith("avc1")) config.avc = { format: "avc" };
    if ((await VideoEncoder.isConfigSupported(config).catch(() => ({}))).supported) return config;
  }
  throw new Error("this browser can encode neither H.264 nor VP9");
}

/** Encode what draw(time, seconds) draws; calls progress(share). Returns a Blob. */
async function film(canvas, seconds, draw, progress) {
  const config = await encoding(), samples = [], frames = Math.max(2, Math.round(seconds * FILM.rate));
  let description = null, failure = null;
  const encoder = new VideoEncoder({
    output: (chunk, { decoderConfig }) => {
      const data = new Uint8Array(chunk.byteLength);
      chunk.copyTo(data);
      description = decoderConfig?.description ?? description;
      samples.push({ data, key: chunk.type === "key", time: Math.round((chunk.timestamp * FILM.rate) / 1e6) });
    },
    error: (error) => { failure = error; },
  });
  encoder.configure(config);
  for (let k = 0; k < frames && !failure; k++) {
    draw(k / FILM.rate, 1 / FILM.rate);
    const frame = new VideoFrame(canvas, { timestamp: Math.round((1e6 * k) / FILM.rate), duration: Math.round(1e6 / FILM.rate) });
    encoder.encode(frame, { keyFrame: k % (2 * FILM.rate) === 0 });
    frame.close();
    progress(k / frames);
    while (encoder.encodeQueueSize > 4 && !failure) await new Promise((go) => setTimeout(go, 5));
    if (k % 4 === 0) await new Promise((go) => setTimeout(go));
  }
  if (failure) throw failure;
  await encoder.flush();
  encoder.close();
  return mp4({ samples, ...FILM, codec: config.codec, description });
}
