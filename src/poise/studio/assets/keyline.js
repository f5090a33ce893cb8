// The time line of a script: its keys, which can be dragged, and the present time.

class KeyLine {
  /** Callbacks: seek(time) of a click, go(index) of a clicked key, move(index, time) of a dragged key. */
  constructor({ seek, go, move }) {
    Object.assign(this, { go, move });
    this.element = make("div", { id: "timeline", ariaLabel: "Time line", tabIndex: 0 });
    this.cursor = make("i", { className: "cursor" });
    this.seconds = 1;
    const { element } = this;
    element.onpointerdown = (event) => {
      if (event.target.dataset.key !== undefined) return;
      element.setPointerCapture(event.pointerId);
      this.seeking = true;
      seek(this.timeAt(event));
    };
    element.onpointermove = (event) => { if (this.seeking) seek(this.timeAt(event)); };
    element.onpointerup = () => { this.seeking = false; };
  }

  timeAt(event) {
    const { left, width } = this.element.getBoundingClientRect();
    return clamp((event.clientX - left) / width, 0, 1) * this.seconds;
  }

  share(time) {
    return `${(100 * time) / this.seconds}%`;
  }

  show({ keys, others, seconds }) {
    this.seconds = seconds;
    const marks = others.map(({ time, name }) => { const mark = make("i", { className: "other", title: name }); mark.style.left = this.share(time); return mark; });
    keys.forEach(({ time, name }, index) => {
      const mark = make("button", { className: "key", title: `${name}, ${time} s`, ariaLabel: `Key ${name}` });
      mark.dataset.key = index;
      mark.style.left = this.share(time);
      this.movable(mark, index);
      marks.push(mark);
    });
    this.element.replaceChildren(...marks, this.cursor);
  }

  /** Dragging moves the key in time; a click goes to it. */
  movable(mark, index) {
    let from = null, to = null;
    mark.onpointerdown = (event) => { mark.setPointerCapture(event.pointerId); from = event.clientX; to = null; };
    mark.onpointermove = (event) => {
      if (from === null || (to === null && Math.abs(event.clientX - from) < 4)) return;
      to = Math.round(100 * this.timeAt(event)) / 100;
      mark.style.left = this.share(to);
    };
    mark.onpointerup = () => {
      from = null;
      if (to === null) this.go(index); else this.move(index, to);
    };
    mark.onkeydown = (event) => { if (event.key === "Enter") this.go(index); };
  }

  /** Highlight the present key. */
  here(index) {
    all("[data-key]", this.element).forEach((mark) => mark.classList.toggle("here", Number(mark.dataset.key) === index));
  }

  at(time) {
    this.cursor.style.left = this.share(time);
  }
}
