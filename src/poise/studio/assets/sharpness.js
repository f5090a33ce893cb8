// Where pictures take too long, they get fewer points: late is worse than coarse.

const SLOW = 0.028, QUICK = 0.02; // s between pictures: too long, and short enough for more points
const LEAST = 0.5; // of the screen's points in a row
const WATCHED = 12; // pictures, of which the median counts

class Sharpness {
  constructor(stage) {
    this.stage = stage;
    this.gaps = [];
    this.coarse = null; // of the points, while a picture with all of them is shown
    this.quick = 0; // s for which pictures have been quick
    this.patience = 5; // s of that before more points are tried; longer each time
  }

  /** A picture is drawn, `seconds` after the one before. */
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

  /** Nothing moves: one picture with all points. */
  rest(draw) {
    if (this.stage.sharpness === 1) return;
    this.coarse = this.stage.sharpness;
    this.set(1);
    draw();
  }

  /** Something moves again. */
  wake() {
    if (this.coarse) this.set(this.coarse);
    this.coarse = null;
  }

  /** So many times the points in a row. */
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
