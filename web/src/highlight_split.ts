// Cuts highlighted HTML (only <span class>, </span> and escaped text) after every `lines` lines into pieces
// that are well formed alone: spans open at a cut are closed before it and opened again after it.

export function splitHighlighted(html: string, lines: number): string[] {
  const pieces: string[] = [];
  const open: string[] = [];
  let piece = '';
  let count = 0;
  let from = 0;
  const marks = /<span[^>]*>|<\/span>|\n/g;
  for (let match = marks.exec(html); match; match = marks.exec(html)) {
    piece += html.slice(from, marks.lastIndex);
    from = marks.lastIndex;
    if (match[0] === '</span>') {
      open.pop();
    } else if (match[0] !== '\n') {
      open.push(match[0]);
    } else if (++count === lines) {
      pieces.push(piece + '</span>'.repeat(open.length));
      piece = open.join('');
      count = 0;
    }
  }
  piece += html.slice(from);
  if (piece.replace(/<[^>]*>/g, '') !== '') pieces.push(piece);
  return pieces;
}
