import { afterEach, describe, expect, test, vi } from 'vitest';
import { copyText } from '../src/clipboard';
import { splitHighlighted } from '../src/highlight_split';
import { chooseLanguage, translator } from '../src/i18n';
import { newId } from '../src/ids';
import { modelLabel } from '../src/model_label';
import { en } from '../src/text_en';
import { ko } from '../src/text_ko';

afterEach(() => vi.unstubAllGlobals());

describe('words', () => {
  test('both languages have every sentence with the same values', () => {
    const values = (text: string) => (text.match(/\{\w+\}/g) ?? []).sort();
    for (const key of Object.keys(en) as (keyof typeof en)[])
      expect(values(ko[key])).toEqual(values(en[key]));
  });
  test('the remembered language wins, then the browser’s', () => {
    expect(chooseLanguage('en', ['ko-KR'])).toBe('en');
    expect(chooseLanguage(null, ['fr', 'ko-KR', 'en'])).toBe('ko');
    expect(chooseLanguage('xx', ['de'])).toBe('en');
  });
  test('values are put in once', () => {
    expect(translator('en')('chats.delete', { title: '{title} $&' })).toBe('Delete “{title} $&”');
  });
  test('the test model is named as such', () => {
    const t = translator('en');
    expect(modelLabel({ id: 'SmolLM2-135M', description: '' }, t)).toBe('English test model — SmolLM2-135M');
    expect(modelLabel({ id: 'qwen', description: 'big' }, t)).toBe('qwen — big');
    expect(modelLabel({ id: 'qwen', description: '' }, t)).toBe('qwen');
  });
});

describe('without a secure context', () => {
  test('ids', () => {
    const ids = () => new Set(Array.from({ length: 100 }, newId));
    vi.stubGlobal('crypto', {
      getRandomValues: (bytes: Uint8Array) => bytes.map((_, i) => (bytes[i] = Math.random() * 256)),
    });
    expect(ids().size).toBe(100);
    vi.stubGlobal('crypto', undefined);
    expect(ids().size).toBe(100);
    expect(newId()).toMatch(/^[0-9a-f]{24}$/);
  });
  test('copying', async () => {
    vi.stubGlobal('navigator', {});
    const command = vi.fn(() => true);
    Object.assign(document, { execCommand: command });
    expect(await copyText('글')).toBe(true);
    expect(command).toHaveBeenCalledWith('copy');
    command.mockReturnValue(false);
    expect(await copyText('글')).toBe(false);
    expect(document.querySelectorAll('textarea').length).toBe(0);
  });
  test('a refusing clipboard falls back', async () => {
    vi.stubGlobal('navigator', { clipboard: { writeText: () => Promise.reject(new Error('no')) } });
    Object.assign(document, { execCommand: () => true });
    expect(await copyText('x')).toBe(true);
  });
});

describe('highlighted pieces', () => {
  const html = '<span class="a">1\n2\n<span class="b">3\n</span>4</span>\n5\n';
  test('are well formed alone and lose nothing', () => {
    const text = (piece: string) => {
      const box = document.createElement('div');
      box.innerHTML = piece;
      return box.textContent ?? '';
    };
    for (let lines = 1; lines < 7; lines += 1) {
      const pieces = splitHighlighted(html, lines);
      expect(pieces.length).toBe(Math.ceil(5 / lines));
      expect(pieces.map(text).join('')).toBe('1\n2\n3\n4\n5\n');
      for (const piece of pieces)
        expect(piece.match(/<span/g)?.length ?? 0).toBe(piece.match(/<\/span/g)?.length ?? 0);
    }
  });
});
