// Chats in the browser's storage: one record a chat, so that a fault costs one record and never the rest.
//
//   ondol.chat.<id>    {"v": 1, "chat": {…}}
//   ondol.backup.<id>  the record as it was before it was brought to a newer version
//   ondol.<setting>    language, model

import { readChat, type Chat } from './chat';

export const kSchemaVersion = 1;
/** The oldest chats beyond this many are dropped. */
export const kChatsMax = 200;

const kChat = 'ondol.chat.';
const kBackup = 'ondol.backup.';

export type SaveResult = 'saved' | 'full' | 'unavailable';

/** Brings the `chat` of a record of version n to version n + 1. */
export type Migration = (chat: unknown) => unknown;

export interface StoreOptions {
  version: number;
  migrations: Record<number, Migration>;
}

export class ChatStore {
  constructor(
    private readonly storage: Storage | null,
    private readonly options: StoreOptions = { version: kSchemaVersion, migrations: {} },
  ) {}

  /** Every readable chat, newest first, and how many records could not be read (they are left alone). */
  list(): { chats: Chat[]; badCount: number } {
    const chats: Chat[] = [];
    let badCount = 0;
    for (const key of this.keys(kChat)) {
      const chat = this.read(key);
      if (chat && key === kChat + chat.id) chats.push(chat);
      else badCount += 1;
    }
    chats.sort((a, b) => b.updatedMs - a.updatedMs);
    return { chats, badCount };
  }

  save(chat: Chat): SaveResult {
    const result = this.write(kChat + chat.id, this.record(chat));
    if (result === 'saved') this.trim();
    return result;
  }

  remove(id: string): void {
    this.drop(kChat + id);
    this.drop(kBackup + id);
  }

  setting(name: string): string | null {
    try {
      return this.storage?.getItem(`ondol.${name}`) ?? null;
    } catch {
      return null;
    }
  }

  setSetting(name: string, value: string): void {
    this.write(`ondol.${name}`, value);
  }

  exportAll(): string {
    const chats = this.list().chats.map((chat) => ({ v: this.options.version, chat }));
    return JSON.stringify({ ondol: 'chats', chats }, null, 1);
  }

  /** Adds the chats of an exported file; one that is newer here stays as it is. Null: not such a file. */
  importAll(text: string): { added: number; failed: number } | null {
    let file: { ondol?: unknown; chats?: unknown };
    try {
      file = JSON.parse(text);
    } catch {
      return null;
    }
    if (file?.ondol !== 'chats' || !Array.isArray(file.chats)) return null;
    const here = new Map(this.list().chats.map((chat) => [chat.id, chat.updatedMs]));
    let added = 0;
    let failed = 0;
    for (const row of file.chats.slice(0, kChatsMax)) {
      const chat = this.upgrade(row);
      if (!chat) failed += 1;
      else if ((here.get(chat.id) ?? -1) >= chat.updatedMs) continue;
      else if (this.save(chat) === 'saved') added += 1;
      else failed += 1;
    }
    return { added, failed };
  }

  private record(chat: Chat): string {
    return JSON.stringify({ v: this.options.version, chat });
  }

  private keys(prefix: string): string[] {
    const keys: string[] = [];
    try {
      for (let i = 0; i < (this.storage?.length ?? 0); i += 1) {
        const key = this.storage?.key(i);
        if (key?.startsWith(prefix)) keys.push(key);
      }
    } catch {
      // Storage is switched off: there is nothing to list.
    }
    return keys;
  }

  private read(key: string): Chat | null {
    try {
      const text = this.storage?.getItem(key) ?? '';
      const row = JSON.parse(text) as { v?: unknown };
      const chat = this.upgrade(row);
      if (chat && row.v !== this.options.version) {
        const kept = this.write(kBackup + chat.id, text) === 'saved';
        if (kept) this.write(key, this.record(chat));
      }
      return chat;
    } catch {
      return null;
    }
  }

  /** A record of this or an older version as a chat; null if it is bad or from a newer program. */
  private upgrade(row: unknown): Chat | null {
    if (typeof row !== 'object' || row === null) return null;
    const { v, chat } = row as { v?: unknown; chat?: unknown };
    if (typeof v !== 'number' || v > this.options.version) return null;
    let value: unknown = chat;
    try {
      for (let version = v; version < this.options.version; version += 1) {
        const migrate = this.options.migrations[version];
        if (!migrate) return null;
        value = migrate(value);
      }
    } catch {
      return null;
    }
    return readChat(value);
  }

  private trim(): void {
    if (this.keys(kChat).length <= kChatsMax) return;
    for (const chat of this.list().chats.slice(kChatsMax)) this.remove(chat.id);
  }

  private write(key: string, value: string): SaveResult {
    if (!this.storage) return 'unavailable';
    try {
      this.storage.setItem(key, value);
      return 'saved';
    } catch (error) {
      const name = error instanceof DOMException ? error.name : '';
      return name === 'QuotaExceededError' || name === 'NS_ERROR_DOM_QUOTA_REACHED' ? 'full' : 'unavailable';
    }
  }

  private drop(key: string): void {
    try {
      this.storage?.removeItem(key);
    } catch {
      // Nothing was stored then.
    }
  }
}

/** The browser's storage, or null where reading the property alone throws. */
export function browserStorage(): Storage | null {
  try {
    return window.localStorage;
  } catch {
    return null;
  }
}
