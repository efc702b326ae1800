import { createContext } from 'preact';
import { useContext, useLayoutEffect, useState } from 'preact/hooks';
import type { Highlighter } from '../highlight';
import type { Language, Translate } from '../i18n';
import type { Observable } from '../observable';
import type { Session } from '../session';

export interface PageValue {
  t: Translate;
  language: Language;
  session: Session;
  highlighter: Highlighter;
  /** Copies, or shows the text selected where the browser refuses. True if copied. */
  copy(text: string): Promise<boolean>;
}

export const PageContext = createContext<PageValue>(null as unknown as PageValue);

export function usePage(): PageValue {
  return useContext(PageContext);
}

/** Draws the component again whenever the thing changes. */
export function useWatch(thing: Observable | null): void {
  const [, redraw] = useState(0);
  useLayoutEffect(() => thing?.subscribe(() => redraw((count) => count + 1)), [thing]);
}
