// Markdown to safe HTML. Three fences stand one behind the other: raw HTML is never parsed (it is shown as
// text), the renderer writes only the tags below, and DOMPurify checks the result once more. The page's CSP
// is the fourth.

import DOMPurify from 'dompurify';
import { Marked, type Tokens } from 'marked';

const kTags = [
  'p',
  'br',
  'hr',
  'h3',
  'h4',
  'h5',
  'h6',
  'strong',
  'em',
  'del',
  'code',
  'pre',
  'ul',
  'ol',
  'li',
  'blockquote',
  'table',
  'thead',
  'tbody',
  'tr',
  'th',
  'td',
  'a',
  'span',
  'div',
];
const kAttributes = ['href', 'title', 'target', 'rel', 'class', 'start', 'align'];

export function escapeHtml(text: string): string {
  return text
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/"/g, '&quot;')
    .replace(/'/g, '&#39;');
}

/** The address if it is an absolute http, https or mailto one; null for everything else. */
export function safeLink(href: string): string | null {
  const address = href.replace(/[\u0000-\u0020\u007f-\u009f]/g, '');
  if (!/^(?:https?:\/\/|mailto:)/i.test(address)) return null;
  try {
    const url = new URL(address);
    return url.username !== '' || url.password !== '' ? null : url.href;
  } catch {
    return null;
  }
}

function anchor(href: string, innerHtml: string): string {
  const link = safeLink(href);
  if (link === null) return innerHtml;
  const address = escapeHtml(link);
  const manners = 'target="_blank" rel="noopener noreferrer nofollow"';
  return `<a href="${address}" title="${address}" ${manners}>${innerHtml}</a>`;
}

const marked = new Marked({
  gfm: true,
  breaks: true,
  async: false,
  tokenizer: {
    // Returning nothing leaves `<` to the text rule, which escapes it.
    html: () => undefined,
    tag: () => undefined,
  },
  renderer: {
    html: ({ text }: Tokens.HTML | Tokens.Tag) => escapeHtml(text),
    link({ href, tokens }: Tokens.Link) {
      return anchor(href, this.parser.parseInline(tokens));
    },
    // Nothing is loaded from elsewhere: a picture becomes a link to it, or its text.
    image: ({ href, text }: Tokens.Image) => anchor(href, escapeHtml(text || href)),
    heading({ tokens, depth }: Tokens.Heading) {
      // The page itself owns h1 and h2.
      const level = Math.min(6, depth + 2);
      return `<h${level}>${this.parser.parseInline(tokens)}</h${level}>\n`;
    },
    checkbox: ({ checked }: Tokens.Checkbox) => (checked ? '☑' : '☐'),
    code({ text, lang }: Tokens.Code) {
      const name = (lang ?? '').split(/\s/)[0]?.replace(/[^\w+#.-]/g, '') ?? '';
      return `<pre><code class="language-${name}">${escapeHtml(text)}\n</code></pre>\n`;
    },
    table(token: Tokens.Table) {
      const row = (cells: Tokens.TableCell[], tag: string) =>
        `<tr>${cells
          .map((cell) => {
            const align = cell.align ? ` align="${cell.align}"` : '';
            return `<${tag}${align}>${this.parser.parseInline(cell.tokens)}</${tag}>`;
          })
          .join('')}</tr>`;
      const body = token.rows.map((cells) => row(cells, 'td')).join('');
      const head = row(token.header, 'th');
      return `<div class="table"><table><thead>${head}</thead><tbody>${body}</tbody></table></div>`;
    },
  },
});

export function sanitize(html: string): string {
  return DOMPurify.sanitize(html, {
    ALLOWED_TAGS: kTags,
    ALLOWED_ATTR: kAttributes,
    ALLOWED_URI_REGEXP: /^(?:https?:\/\/|mailto:)/i,
    ADD_URI_SAFE_ATTR: ['title', 'target', 'rel', 'class', 'start', 'align'],
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
  });
}

export function renderMarkdown(source: string): string {
  return sanitize(marked.parse(source) as string);
}
