// Highlighting runs beside the page's own thread: a block of thousands of lines must not hold up typing or
// Stop.

import hljs from 'highlight.js/lib/common';
import { kChunkLines } from './blocks';
import { splitHighlighted } from './highlight_split';

export interface HighlightRequest {
  id: number;
  lang: string;
  code: string;
}

export interface HighlightReply {
  id: number;
  /** Null if the language is unknown: the code stays plain. */
  pieces: string[] | null;
}

self.onmessage = (message: MessageEvent<HighlightRequest>) => {
  const { id, lang, code } = message.data;
  let reply: HighlightReply = { id, pieces: null };
  if (lang !== '' && hljs.getLanguage(lang)) {
    try {
      const { value } = hljs.highlight(code, { language: lang, ignoreIllegals: true });
      reply = { id, pieces: splitHighlighted(value, kChunkLines) };
    } catch {
      // A fault of one language's grammar costs the colours, nothing else.
    }
  }
  self.postMessage(reply);
};
