// A plot of quantities against time, up to the present one.

const WINDOW = 6; // seconds

class Plot {
  constructor(canvas) {
    this.canvas = canvas;
  }

  /** lines: [{ colour, dash, value(frame) }]. */
  draw(frames, first, last, time, lines, unit) {
    const { canvas } = this, ratio = Math.min(devicePixelRatio, 2);
    const width = canvas.clientWidth, height = canvas.clientHeight;
    if (canvas.width !== width * ratio || canvas.height !== height * ratio) Object.assign(canvas, { width: width * ratio, height: height * ratio });
    const pen = canvas.getContext("2d");
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    const shown = frames.slice(first, last + 1);
    const series = lines.map(({ value }) => shown.map(value));
    const values = series.flat().filter(Number.isFinite);
    if (!values.length) return;
    let low = Math.min(...values), high = Math.max(...values);
    const room = Math.max(0.08 * (high - low), 1e-3 * Math.max(1, Math.abs(high)));
    low -= room; high += room;
    const left = 44, bottom = 16, x = (t) => left + ((t - time + WINDOW) / WINDOW) * (width - left - 8), y = (v) => 6 + ((high - v) / (high - low)) * (height - bottom - 8);
    pen.font = "10px system-ui, sans-serif";
    pen.fillStyle = "#8b95a1";
    pen.strokeStyle = "#eef1f4";
    pen.textAlign = "right";
    for (const v of niceTicks(low, high)) {
      pen.beginPath(); pen.moveTo(left, y(v)); pen.lineTo(width - 8, y(v)); pen.stroke();
      pen.fillText(`${Number(v.toPrecision(4))}${unit === "°" ? unit : ""}`, left - 5, y(v) + 3);
    }
    pen.textAlign = "center";
    for (let t = Math.ceil(time - WINDOW); t <= time; t++) if (t >= 0) pen.fillText(`${t} s`, Math.min(x(t), width - 14), height - 4);
    pen.textAlign = "left";
    if (unit !== "°") pen.fillText(unit, left + 4, 14);
    lines.forEach(({ colour, dash = [] }, k) => {
      pen.strokeStyle = colour;
      pen.lineWidth = 1.5;
      pen.setLineDash(dash);
      pen.beginPath();
      shown.forEach((frame, i) => pen[i ? "lineTo" : "moveTo"](x(frame.time), y(series[k][i])));
      pen.stroke();
    });
    pen.setLineDash([]);
  }
}

/** Three to seven round numbers within a range. */
function niceTicks(low, high) {
  const most = (high - low) / 3, power = 10 ** Math.floor(Math.log10(most)), ticks = [];
  const step = power * [5, 2, 1].find((factor) => factor * power <= most);
  for (let v = Math.ceil(low / step) * step; v <= high; v += step) ticks.push(v);
  return ticks;
}
