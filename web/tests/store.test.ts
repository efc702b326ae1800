import { beforeEach, describe, expect, test } from 'vitest';
import type { Chat } from '../src/chat';
import { historyOf, readChat, titleOf } from '../src/chat';
import { ChatStore, kChatsMax } from '../src/store';

class FakeStorage implements Storage {
  readonly map = new Map<string, string>();
  quotaChars = Infinity;
  get length() {
    return this.map.size;
  }
  key = (index: number) => [...this.map.keys()][index] ?? null;
  getItem = (key: string) => this.map.get(key) ?? null;
  removeItem = (key: string) => void this.map.delete(key);
  clear = () => this.map.clear();
  setItem(key: string, value: string) {
    let chars = key.length + value.length;
    for (const [k, v] of this.map) if (k !== key) chars += k.length + v.length;
    if (chars > this.quotaChars) throw new DOMException('full', 'QuotaExceededError');
    this.map.set(key, value);
  }
}

const chat = (id: string, updatedMs = 1, content = '안녕'): Chat => ({
  id,
  title: id,
  createdMs: 1,
  updatedMs,
  messages: [{ role: 'user', content }],
});

let storage: FakeStorage;
let store: ChatStore;
beforeEach(() => {
  storage = new FakeStorage();
  store = new ChatStore(storage);
});

describe('chats in the browser', () => {
  test('are kept and listed, newest first', () => {
    store.save(chat('a', 1));
    store.save(chat('b', 2));
    expect(new ChatStore(storage).list().chats.map(({ id }) => id)).toEqual(['b', 'a']);
  });

  test('a full storage fails that save alone', () => {
    store.save(chat('a'));
    storage.quotaChars = 400;
    expect(store.save(chat('big', 2, 'x'.repeat(1000)))).toBe('full');
    expect(store.save(chat('a', 3, 'x'.repeat(1000)))).toBe('full');
    expect(store.list().chats).toEqual([chat('a')]);
    expect(store.save(chat('b', 2))).toBe('saved');
  });

  test('bad records are skipped, counted and left alone', () => {
    store.save(chat('a'));
    const bad: Record<string, string> = {
      'ondol.chat.x1': '{"v":1,"chat"',
      'ondol.chat.x2': 'null',
      'ondol.chat.x3': '[]',
      'ondol.chat.x4': '{"v":1,"chat":{"id":"x4"}}',
      'ondol.chat.x5': JSON.stringify({
        v: 1,
        chat: { ...chat('x5'), messages: [{ role: 'root', content: '' }] },
      }),
      'ondol.chat.x6': JSON.stringify({ v: 1, chat: chat('other') }),
      'ondol.chat.x7': JSON.stringify({ v: 99, chat: chat('x7') }),
      'ondol.chat.x8': '',
    };
    for (const [key, value] of Object.entries(bad)) storage.map.set(key, value);
    expect(store.list()).toEqual({ chats: [chat('a')], badCount: 8 });
    for (const [key, value] of Object.entries(bad)) expect(storage.getItem(key)).toBe(value);
  });

  test('an old schema is brought up, with a copy kept', () => {
    const old = JSON.stringify({ v: 1, chat: { id: 'a', name: 'Old', at: 5, lines: ['hi'] } });
    storage.map.set('ondol.chat.a', old);
    const migrate = (value: unknown) => {
      const { id, name, at, lines } = value as { id: string; name: string; at: number; lines: string[] };
      return {
        id,
        title: name,
        createdMs: at,
        updatedMs: at,
        messages: lines.map((content) => ({ role: 'user', content })),
      };
    };
    const newer = new ChatStore(storage, { version: 2, migrations: { 1: migrate } });
    expect(newer.list().chats[0]?.messages).toEqual([{ role: 'user', content: 'hi' }]);
    expect(storage.getItem('ondol.backup.a')).toBe(old);
    expect(JSON.parse(storage.getItem('ondol.chat.a') ?? '').v).toBe(2);
  });

  test('no room for the copy: the old record stays and is still read', () => {
    const old = JSON.stringify({ v: 1, chat: chat('a') });
    storage.map.set('ondol.chat.a', old);
    storage.quotaChars = old.length + 20;
    const newer = new ChatStore(storage, { version: 2, migrations: { 1: (value) => value } });
    expect(newer.list().chats.length).toBe(1);
    expect(storage.getItem('ondol.chat.a')).toBe(old);
  });

  test('a migration that fails costs its record alone', () => {
    storage.map.set('ondol.chat.a', JSON.stringify({ v: 1, chat: null }));
    storage.map.set('ondol.chat.b', JSON.stringify({ v: 2, chat: chat('b') }));
    const migrations = { 1: (value: unknown) => (value as { x: { y: unknown } }).x.y };
    expect(new ChatStore(storage, { version: 2, migrations }).list()).toEqual({
      chats: [chat('b')],
      badCount: 1,
    });
  });

  test('the oldest beyond the limit are dropped', () => {
    for (let i = 0; i < kChatsMax + 3; i += 1) store.save(chat(`c${i}`, i));
    const { chats } = store.list();
    expect(chats.length).toBe(kChatsMax);
    expect(chats.at(-1)?.id).toBe('c3');
  });

  test('export and import give the same chats', () => {
    store.save(chat('a', 1));
    store.save(chat('b', 2));
    const other = new ChatStore(new FakeStorage());
    expect(other.importAll(store.exportAll())).toEqual({ added: 2, failed: 0 });
    expect(other.list()).toEqual(store.list());
    expect(other.importAll(store.exportAll())).toEqual({ added: 0, failed: 0 });
  });

  test('a file that is not ours is refused; a bad chat in it is skipped', () => {
    expect(store.importAll('hello')).toBe(null);
    expect(store.importAll('null')).toBe(null);
    expect(store.importAll('{"a":1}')).toBe(null);
    const file = JSON.stringify({
      ondol: 'chats',
      chats: [1, { v: 1, chat: {} }, { v: 1, chat: chat('ok') }],
    });
    expect(store.importAll(file)).toEqual({ added: 1, failed: 2 });
  });

  test('storage that throws is no storage', () => {
    const broken = new Proxy(storage, {
      get() {
        throw new DOMException('denied', 'SecurityError');
      },
    });
    for (const each of [new ChatStore(broken), new ChatStore(null)]) {
      expect(each.list()).toEqual({ chats: [], badCount: 0 });
      expect(each.save(chat('a'))).toBe('unavailable');
      expect(each.setting('language')).toBe(null);
      each.remove('a');
    }
  });
});

test('a chat id cannot name another record', () => {
  expect(readChat(chat('../x'))).toBe(null);
  expect(readChat(chat('ok-1_A'))).toEqual(chat('ok-1_A'));
});

test('the conversation is sent with alternating roles', () => {
  const user = (content: string) => ({ role: 'user' as const, content });
  const model = (content: string) => ({
    role: 'assistant' as const,
    content,
    reasoning: 'r',
    note: 'stopped' as const,
  });
  expect(historyOf([user('a'), user('b'), model('c'), user('d'), model(''), user('e')])).toEqual([
    { role: 'user', content: 'a\n\nb' },
    { role: 'assistant', content: 'c' },
    { role: 'user', content: 'd\n\ne' },
  ]);
});

test('titles are one short line', () => {
  expect(titleOf('  hello   there\nsecond')).toBe('hello there');
  expect([...titleOf('🙂'.repeat(100))].length).toBe(60);
});
