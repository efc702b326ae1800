// One answer while it is being written: the stream fills the message and its blocks; whoever watches is told.

import { ApiError, streamChat, type ApiMessage, type Trouble, type Usage } from './api';
import { BlockReader } from './blocks';
import type { Message } from './chat';
import { Observable } from './observable';

export type Outcome = { kind: 'finished' } | { kind: 'stopped' } | { kind: 'failed'; trouble: Trouble };

export class Generation extends Observable {
  readonly content = new BlockReader();
  readonly reasoning = new BlockReader();
  private readonly abort = new AbortController();
  private firstMs = 0;
  private usage: Usage | null = null;

  constructor(
    readonly message: Message,
    private readonly model: string,
    private readonly history: ApiMessage[],
  ) {
    super();
  }

  get begun(): boolean {
    return this.firstMs !== 0;
  }

  stop(): void {
    this.abort.abort();
  }

  /** Never throws: however the stream ends, the message is left in order. */
  async run(): Promise<Outcome> {
    const outcome = await this.read();
    this.content.finish();
    this.reasoning.finish();
    if (outcome.kind === 'stopped') this.message.note = 'stopped';
    if (outcome.kind === 'failed') this.message.note = 'broken';
    this.measure();
    this.changed();
    return outcome;
  }

  private async read(): Promise<Outcome> {
    try {
      for await (const delta of streamChat(this.model, this.history, this.abort.signal)) {
        if (delta.type === 'usage') {
          this.usage = delta.usage;
        } else if (delta.type === 'finish') {
          if (delta.reason === 'length') this.message.note = 'length';
        } else {
          if (this.firstMs === 0) this.firstMs = performance.now();
          this.take(delta.type, delta.text);
        }
      }
      return { kind: 'finished' };
    } catch (error) {
      if (this.abort.signal.aborted) return { kind: 'stopped' };
      const trouble: Trouble = error instanceof ApiError ? error.trouble : { kind: 'broken' };
      return { kind: 'failed', trouble };
    }
  }

  private take(type: 'content' | 'reasoning', text: string): void {
    if (type === 'content') {
      this.message.content += text;
      this.content.append(text);
    } else {
      this.message.reasoning = (this.message.reasoning ?? '') + text;
      this.reasoning.append(text);
    }
    this.changed();
  }

  private measure(): void {
    if (!this.usage) return;
    const { completionTokens } = this.usage;
    this.message.tokens = completionTokens;
    const seconds = (performance.now() - this.firstMs) / 1000;
    // The first token came before the clock started.
    if (this.begun && completionTokens > 1 && seconds > 0.05) {
      this.message.tokensPerSecond = Math.round(((completionTokens - 1) / seconds) * 10) / 10;
    }
  }
}
