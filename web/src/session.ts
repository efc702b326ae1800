// The page's state: models, chats, the open chat, what is being written, what went wrong.

import { ApiError, listModels, type Model, type Trouble } from './api';
import { historyOf, titleOf, type Chat, type Message } from './chat';
import { Generation } from './generation';
import { newId } from './ids';
import { Observable } from './observable';
import { kChatsMax, type ChatStore, type SaveResult } from './store';

export const kModelsRetryMs = 5000;
const kSaveEveryMs = 5000;

export type Notice =
  | { kind: 'save'; result: Exclude<SaveResult, 'saved'> }
  | { kind: 'bad_records'; count: number }
  | { kind: 'imported'; added: number; failed: number }
  | { kind: 'import_bad' };

export type ModelsState = 'loading' | 'ready' | 'unreachable';

export class Session extends Observable {
  chats: Chat[] = [];
  current: Chat | null = null;
  models: Model[] = [];
  modelsState: ModelsState = 'loading';
  model = '';
  notice: Notice | null = null;
  /** Said once to those who cannot see the page. */
  status: { kind: 'started' | 'finished' | 'stopped'; text: string } | null = null;
  private readonly generations = new Map<string, Generation>();
  private readonly troubles = new Map<string, Trouble>();
  private modelsTimer = 0;

  constructor(private readonly store: ChatStore) {
    super();
    const { chats, badCount } = store.list();
    this.chats = chats;
    this.model = store.setting('model') ?? '';
    if (badCount > 0) this.notice = { kind: 'bad_records', count: badCount };
  }

  get generation(): Generation | null {
    return this.current ? (this.generations.get(this.current.id) ?? null) : null;
  }

  get trouble(): Trouble | null {
    return this.current ? (this.troubles.get(this.current.id) ?? null) : null;
  }

  isWriting(chat: Chat): boolean {
    return this.generations.has(chat.id);
  }

  async loadModels(): Promise<void> {
    clearTimeout(this.modelsTimer);
    try {
      this.models = await listModels();
      this.modelsState = 'ready';
      if (this.models.length === 0) this.loadModelsLater();
      if (!this.models.some((model) => model.id === this.model)) this.model = this.models[0]?.id ?? '';
    } catch (error) {
      const busy = error instanceof ApiError && error.trouble.kind === 'busy';
      this.modelsState = busy ? 'loading' : 'unreachable';
      this.loadModelsLater();
    }
    this.changed();
  }

  private loadModelsLater(): void {
    this.modelsTimer = window.setTimeout(() => void this.loadModels(), kModelsRetryMs);
  }

  chooseModel(id: string): void {
    this.model = id;
    this.store.setSetting('model', id);
    this.changed();
  }

  open(id: string | null): void {
    const chat = this.chats.find((item) => item.id === id) ?? null;
    if (chat === this.current) return;
    this.current = chat;
    this.changed();
  }

  /** The chats changed in another tab. What is being written here stays ours. */
  refresh(): void {
    const mine = new Map(this.chats.map((chat) => [chat.id, chat]));
    const stored = this.store.list().chats.map((chat) => {
      const here = mine.get(chat.id);
      return here && (this.isWriting(here) || here.updatedMs >= chat.updatedMs) ? here : chat;
    });
    const unsaved = this.chats.filter(
      (chat) => this.isWriting(chat) && !stored.some(({ id }) => id === chat.id),
    );
    this.chats = [...unsaved, ...stored];
    if (this.current) this.current = this.chats.find(({ id }) => id === this.current?.id) ?? this.current;
    this.changed();
  }

  remove(chat: Chat): void {
    this.generations.get(chat.id)?.stop();
    this.troubles.delete(chat.id);
    this.chats = this.chats.filter((item) => item !== chat);
    this.store.remove(chat.id);
    if (this.current === chat) this.current = null;
    this.changed();
  }

  /** False if nothing was sent: no model, nothing written, or an answer is still coming. */
  send(text: string): boolean {
    const content = text.replace(/^(?:[ \t]*\n)+/, '').trimEnd();
    if (content === '' || this.model === '' || this.generation) return false;
    const chat = this.current ?? this.begin(content);
    chat.messages.push({ role: 'user', content });
    void this.answer(chat);
    return true;
  }

  /** Writes the last answer again, or writes it at all if it failed. */
  regenerate(): void {
    const chat = this.current;
    if (!chat || this.generation || this.model === '') return;
    if (chat.messages.at(-1)?.role === 'assistant') chat.messages.pop();
    if (chat.messages.at(-1)?.role === 'user') void this.answer(chat);
  }

  /** Takes the last, unanswered message out of the chat, to be written anew; its text, or null. */
  takeBack(): string | null {
    const chat = this.current;
    if (!chat || this.generation || chat.messages.at(-1)?.role !== 'user') return null;
    const text = chat.messages.pop()?.content ?? '';
    this.troubles.delete(chat.id);
    if (chat.messages.length === 0) {
      this.remove(chat);
    } else {
      this.save(chat);
      this.changed();
    }
    return text;
  }

  stop(): void {
    this.generation?.stop();
  }

  clearNotice(): void {
    this.notice = null;
    this.changed();
  }

  exportAll(): string {
    return this.store.exportAll();
  }

  importAll(text: string): void {
    const result = this.store.importAll(text);
    this.notice = result ? { kind: 'imported', ...result } : { kind: 'import_bad' };
    this.refresh();
  }

  saveAll(): void {
    for (const chat of this.chats) if (this.isWriting(chat)) this.save(chat);
  }

  private begin(text: string): Chat {
    const nowMs = Date.now();
    const chat: Chat = {
      id: newId(),
      title: titleOf(text),
      createdMs: nowMs,
      updatedMs: nowMs,
      messages: [],
    };
    this.chats.unshift(chat);
    this.chats.length = Math.min(this.chats.length, kChatsMax);
    this.current = chat;
    return chat;
  }

  private async answer(chat: Chat): Promise<void> {
    const message: Message = { role: 'assistant', content: '', model: this.model };
    const generation = new Generation(message, this.model, historyOf(chat.messages));
    chat.messages.push(message);
    this.troubles.delete(chat.id);
    this.generations.set(chat.id, generation);
    this.touch(chat);
    this.status = { kind: 'started', text: '' };
    this.save(chat);
    this.changed();

    const saving = window.setInterval(() => this.save(chat), kSaveEveryMs);
    const outcome = await generation.run();
    clearInterval(saving);
    this.generations.delete(chat.id);
    if (!this.chats.includes(chat)) return;

    const empty = message.content === '' && !message.reasoning;
    if (empty && outcome.kind !== 'finished') chat.messages.pop();
    if (outcome.kind === 'failed') {
      this.troubles.set(chat.id, outcome.trouble);
      if (outcome.trouble.kind === 'unreachable' || outcome.trouble.kind === 'no_model')
        void this.loadModels();
    }
    this.status = outcome.kind === 'finished' ? { kind: 'finished', text: message.content } : null;
    if (outcome.kind === 'stopped') this.status = { kind: 'stopped', text: '' };
    this.touch(chat);
    this.save(chat);
    this.changed();
  }

  private touch(chat: Chat): void {
    chat.updatedMs = Date.now();
    this.chats = [chat, ...this.chats.filter((item) => item !== chat)];
  }

  private save(chat: Chat): void {
    const result = this.store.save(chat);
    const before = this.notice?.kind === 'save' ? this.notice.result : null;
    if (result === 'saved') {
      if (before !== null) this.notice = null;
    } else if (before !== result) {
      this.notice = { kind: 'save', result };
      this.changed();
    }
  }
}
