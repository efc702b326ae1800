// The smallest thing that components can watch.

export class Observable {
  private readonly listeners = new Set<() => void>();

  /** Returns the way to stop listening. */
  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  protected changed(): void {
    for (const listener of [...this.listeners]) listener();
  }
}
