// Lowers the resolution where drawing is slow.

const SLOW = 0.028, QUICK = 0.02; // s between frames: above, lower the resolution; below, raise it
const LEAST = 0.5; // minimum resolution, share of the screen's
const WATCHED = 12; // frames over which the median is taken

class Sharpness {
  constructor(stage) {
    this.stage = stage;
    this.gaps = [];
    this.coarse = null; // resolution to return to while a full one is shown
    this.quick = 0; // s for which drawing has been quick
    this.patience = 5; // s of quick drawing before the resolution is raised; doubled each time
  }

  /** Note a frame drawn `seconds` after the previous one. */
  drawn(seconds) {
    this.gaps.push(seconds);
    if (this.gaps.length < WATCHED) return;
    const spent = this.gaps.reduce((sum, gap) => sum + gap), median = this.gaps.sort((a, b) => a - b)[WATCHED >> 1];
    this.gaps = [];
    this.quick = median < QUICK ? this.quick + spent : 0;
    if (median > SLOW) this.draw(Math.max(0.6, Math.sqrt(SLOW / median)));
    if (this.quick > this.patience && this.stage.sharpness < 1) {
      this.patience *= 2;
      this.draw(1.25);
    }
  }

  /** Nothing moves: draw once at full resolution. */
  rest(draw) {
    if (this.stage.sharpness === 1) return;
    this.coarse = this.stage.sharpness;
    this.set(1);
    draw();
  }

  /** Return to the lower resolution. */
  wake() {
    if (this.coarse) this.set(this.coarse);
    this.coarse = null;
  }

  /** Multiply the resolution. */
  draw(times) {
    const sharpness = clamp(times * this.stage.sharpness, LEAST, 1);
    if (sharpness === this.stage.sharpness) return;
    this.quick = 0;
    this.set(sharpness);
  }

  set(sharpness) {
    this.stage.sharpness = sharpness;
    this.stage.resize();
  }
}
