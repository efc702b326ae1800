// Asks the highlighting worker, which is started at first use.

import type { HighlightReply, HighlightRequest } from './highlight_worker';

/** More than this stays plain text: colours are not worth a minute of a small machine. */
export const kHighlightCharsMax = 1_000_000;

export class Highlighter {
  private worker: Worker | null = null;
  private broken = false;
  private lastId = 0;
  private readonly waiting = new Map<number, (pieces: string[] | null) => void>();

  /** Pieces of kChunkLines lines of HTML, not yet sanitized; null if the code is to stay plain. */
  highlight(code: string, lang: string): Promise<string[] | null> {
    const worker = lang === '' || code.length > kHighlightCharsMax ? null : this.start();
    if (!worker) return Promise.resolve(null);
    const request: HighlightRequest = { id: ++this.lastId, lang, code };
    return new Promise((resolve) => {
      this.waiting.set(request.id, resolve);
      worker.postMessage(request);
    });
  }

  private start(): Worker | null {
    if (this.broken || typeof Worker === 'undefined') return null;
    if (this.worker) return this.worker;
    try {
      this.worker = new Worker(new URL('./highlight_worker.ts', import.meta.url), { type: 'module' });
      this.worker.onmessage = (message: MessageEvent<HighlightReply>) => {
        this.waiting.get(message.data.id)?.(message.data.pieces);
        this.waiting.delete(message.data.id);
      };
      this.worker.onerror = () => this.giveUp();
    } catch {
      this.giveUp();
      return null;
    }
    return this.worker;
  }

  private giveUp(): void {
    this.broken = true;
    for (const resolve of this.waiting.values()) resolve(null);
    this.waiting.clear();
  }
}
