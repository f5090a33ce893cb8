// MP4 file of encoded frames (ISO/IEC 14496-12): one video track in one chunk.

const text4 = (name) => [...name].map((letter) => letter.charCodeAt(0));
const u16 = (value) => [(value >> 8) & 255, value & 255];
const u32 = (value) => [(value >>> 24) & 255, (value >>> 16) & 255, (value >>> 8) & 255, value & 255];

/** A box: length, name, and its numbers or inner boxes. */
function box(name, ...parts) {
  const bytes = parts.flatMap((part) => (typeof part === "number" ? [part] : Array.from(part)));
  return [...u32(8 + bytes.length), ...text4(name), ...bytes];
}

/** A box with version and flags. */
const full = (name, version, flags, ...parts) => box(name, [version, ...u32(flags).slice(1)], ...parts);
const table = (rows) => [...u32(rows.length), ...rows.flat()];
const MATRIX = [65536, 0, 0, 0, 65536, 0, 0, 0, 1073741824].flatMap(u32);

/** samples: [{ data: Uint8Array, key, time }] in decoding order, times in frames. Returns a Blob. */
function mp4({ samples, width, height, rate, codec, description }) {
  const ticks = 1000, scale = rate * ticks, length = samples.length * ticks, seconds = Math.round((1000 * samples.length) / rate);
  const head = Uint8Array.from(box("ftyp", text4("isom"), u32(512), text4("isomiso2mp41")));
  const size = samples.reduce((sum, { data }) => sum + data.length, 0);
  const room = [...u32(8 + size), ...text4("mdat")], start = head.length + room.length;
  const offsets = samples.map(({ time }, k) => (time - k) * ticks);
  const picture = (name, config) => box(name, Array(6).fill(0), u16(1), Array(16).fill(0), u16(width), u16(height), u32(0x480000), u32(0x480000), u32(0), u16(1), Array(32).fill(0), u16(24), [255, 255], config);
  const entry = codec.startsWith("avc1") ? picture("avc1", box("avcC", new Uint8Array(description)))
    : picture("vp09", full("vpcC", 1, 0, [0, 31, 0x82, 1, 1, 1], u16(0)));
  const stbl = box("stbl",
    full("stsd", 0, 0, table([entry])),
    full("stts", 0, 0, table([[...u32(samples.length), ...u32(ticks)]])),
    ...(offsets.some((offset) => offset) ? [full("ctts", 1, 0, table(offsets.map((offset) => [...u32(1), ...u32(offset)])))] : []),
    full("stss", 0, 0, table(samples.flatMap(({ key }, k) => (key ? [u32(k + 1)] : [])))),
    full("stsc", 0, 0, table([[...u32(1), ...u32(samples.length), ...u32(1)]])),
    full("stsz", 0, 0, u32(0), table(samples.map(({ data }) => u32(data.length)))),
    full("stco", 0, 0, table([u32(start)])));
  const minf = box("minf", full("vmhd", 0, 1, Array(8).fill(0)), box("dinf", full("dref", 0, 0, table([full("url ", 0, 1)]))), stbl);
  const mdia = box("mdia", full("mdhd", 0, 0, u32(0), u32(0), u32(scale), u32(length), [0x55, 0xc4, 0, 0]),
    full("hdlr", 0, 0, u32(0), text4("vide"), Array(12).fill(0), text4("Poise\0")), minf);
  const trak = box("trak", full("tkhd", 0, 3, u32(0), u32(0), u32(1), u32(0), u32(seconds), Array(16).fill(0), MATRIX, u32(width * 65536), u32(height * 65536)), mdia);
  const moov = box("moov", full("mvhd", 0, 0, u32(0), u32(0), u32(1000), u32(seconds), u32(65536), [1, 0], Array(10).fill(0), MATRIX, Array(24).fill(0), u32(2)), trak);
  return new Blob([head, Uint8Array.from(room), ...samples.map(({ data }) => data), Uint8Array.from(moov)], { type: "video/mp4" });
}
