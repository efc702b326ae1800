// Keeps the newest text in view until the reader moves up, and again once they come back to the end.
// The reader's hand always wins: wheel, touch and keys let go at once, before the scroll itself is seen.

const kEndPx = 24;

export class Stick {
  stuck = true;
  private lastTop = 0;

  constructor(
    private readonly box: HTMLElement,
    private readonly onChange: () => void,
  ) {
    box.addEventListener('scroll', this.onScroll, { passive: true });
    box.addEventListener('wheel', this.onWheel, { passive: true });
    box.addEventListener('touchmove', this.onTouch, { passive: true });
    box.addEventListener('keydown', this.onKey);
  }

  close(): void {
    this.box.removeEventListener('scroll', this.onScroll);
    this.box.removeEventListener('wheel', this.onWheel);
    this.box.removeEventListener('touchmove', this.onTouch);
    this.box.removeEventListener('keydown', this.onKey);
  }

  /** New text was drawn. */
  follow(): void {
    if (!this.stuck) return;
    this.box.scrollTop = this.box.scrollHeight;
    this.lastTop = this.box.scrollTop;
  }

  toEnd(): void {
    this.set(true);
    this.follow();
  }

  private fromEnd(): number {
    return this.box.scrollHeight - this.box.clientHeight - this.box.scrollTop;
  }

  private set(stuck: boolean): void {
    if (stuck === this.stuck) return;
    this.stuck = stuck;
    this.onChange();
  }

  private readonly onScroll = () => {
    const top = this.box.scrollTop;
    if (top < this.lastTop - 1 && this.fromEnd() > 2) this.set(false);
    else if (top > this.lastTop && this.fromEnd() <= kEndPx) this.set(true);
    this.lastTop = top;
  };

  private readonly onWheel = (event: WheelEvent) => {
    if (event.deltaY < 0 && this.box.scrollTop > 0) this.set(false);
  };

  private readonly onTouch = () => {
    if (this.fromEnd() > 2) this.set(false);
  };

  private readonly onKey = (event: KeyboardEvent) => {
    if (['PageUp', 'ArrowUp', 'Home'].includes(event.key) && this.box.scrollTop > 0) this.set(false);
  };
}
