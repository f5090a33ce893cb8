// Export of the performance as files.

class Save {
  constructor(wire, video) {
    all("[data-take]").forEach((button) => {
      button.onclick = () => {
        const { take } = button.dataset;
        $("taken").textContent = "";
        if (take === "mp4") return video();
        busy(`writing ${take.toUpperCase()}`);
        wire.send("download", { format: take });
      };
    });
  }

  file(name, content) {
    busy("");
    save(name, content);
    this.done(name, content.length);
  }

  done(name, size) {
    $("taken").textContent = `${name}, ${size > 1e6 ? `${(size / 1e6).toFixed(1)} MB` : `${Math.ceil(size / 1e3)} kB`}: saved to your downloads.`;
  }
}
