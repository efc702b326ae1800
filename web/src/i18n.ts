// Every sentence of the page, in English and Korean.

import { en } from './text_en';
import { ko } from './text_ko';

export type Language = 'en' | 'ko';
export type TextKey = keyof typeof en;
export type Texts = Record<TextKey, string>;
export type Translate = (key: TextKey, values?: Record<string, string | number>) => string;

const kTexts: Record<Language, Texts> = { en, ko };

export function chooseLanguage(remembered: string | null, browser: readonly string[]): Language {
  if (remembered === 'en' || remembered === 'ko') return remembered;
  for (const tag of browser) {
    if (/^ko\b/i.test(tag)) return 'ko';
    if (/^en\b/i.test(tag)) return 'en';
  }
  return 'en';
}

export function translator(language: Language): Translate {
  return (key, values = {}) =>
    kTexts[language][key].replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}
