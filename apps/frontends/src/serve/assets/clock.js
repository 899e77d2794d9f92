// The clocks of a game: what each side has left, counted down between two answers of the server, which is the judge.

export class GameClock {
  constructor(onEnd) {
    this.onEnd = onEnd;
    this.told = null;
    setInterval(() => this.tick(), 200);
  }

  // Takes over what the server says; `clock` is null for a game without clocks.
  set(clock) {
    this.told = clock;
    this.since = performance.now();
    this.isOver = false;
  }

  // Seconds that `side` has left.
  left(side) {
    const { left, running } = this.told;
    return running === side ? Math.max(0, left[side] - (performance.now() - this.since) / 1000) : left[side];
  }

  // As in `4:05`, with tenths when it gets close.
  text(side) {
    const seconds = this.left(side);
    if (seconds < 10) return `0:0${seconds.toFixed(1)}`;
    return `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`;
  }

  tick() {
    if (!this.told || this.told.running === null) return;
    for (const face of document.querySelectorAll('.clock')) face.textContent = this.text(Number(face.dataset.side));
    if (this.left(this.told.running) <= 0 && !this.isOver) {
      this.isOver = true;
      this.onEnd();
    }
  }
}
