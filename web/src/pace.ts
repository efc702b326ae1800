// Calls `draw` at most once a frame, and less often when drawing is dear: at most about a fifth of the time
// goes into it, so that a long open block cannot freeze the page.

const kRestFactor = 4;
const kRestMaxMs = 500;

export class Pace {
  private frame = 0;
  private timer = 0;
  private restUntilMs = 0;

  constructor(private readonly draw: () => void) {}

  request(): void {
    if (this.frame !== 0 || this.timer !== 0) return;
    const restMs = this.restUntilMs - performance.now();
    if (restMs <= 0) {
      this.askFrame();
      return;
    }
    this.timer = window.setTimeout(() => {
      this.timer = 0;
      this.askFrame();
    }, restMs);
  }

  stop(): void {
    cancelAnimationFrame(this.frame);
    clearTimeout(this.timer);
    this.frame = 0;
    this.timer = 0;
  }

  private askFrame(): void {
    // A hidden tab gets no frames; it still must not fall behind for ever.
    if (document.hidden) {
      this.timer = window.setTimeout(() => {
        this.timer = 0;
        this.run();
      }, 200);
      return;
    }
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      this.run();
    });
  }

  private run(): void {
    const startMs = performance.now();
    this.draw();
    const costMs = performance.now() - startMs;
    this.restUntilMs = startMs + costMs + Math.min(kRestMaxMs, costMs * kRestFactor);
  }
}
