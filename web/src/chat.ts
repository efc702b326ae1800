// What a conversation is, and how a record from storage or from a file is checked before it is believed.

export interface Message {
  role: 'user' | 'assistant';
  content: string;
  reasoning?: string;
  /** Why the answer is not whole. */
  note?: 'stopped' | 'length' | 'broken';
  model?: string;
  tokens?: number;
  tokensPerSecond?: number;
}

export interface Chat {
  id: string;
  title: string;
  createdMs: number;
  updatedMs: number;
  messages: Message[];
}

/**
 * The conversation as it is sent: chat templates want the roles to alternate, so an answer that never came
 * leaves no gap, and two messages in a row of the same role become one.
 */
export function historyOf(messages: readonly Message[]): { role: Message['role']; content: string }[] {
  const history: { role: Message['role']; content: string }[] = [];
  for (const { role, content } of messages) {
    const last = history.at(-1);
    if (content === '') continue;
    if (last?.role === role) last.content += `\n\n${content}`;
    else history.push({ role, content });
  }
  return history;
}

export const kTitleCharsMax = 60;

export function titleOf(text: string): string {
  const line = text.trim().split('\n')[0]?.replace(/\s+/g, ' ') ?? '';
  const chars = [...line];
  return chars.length > kTitleCharsMax ? `${chars.slice(0, kTitleCharsMax - 1).join('')}…` : line;
}

type Json = Record<string, unknown>;

function readMessage(value: unknown): Message | null {
  if (typeof value !== 'object' || value === null) return null;
  const row = value as Json;
  const role = row['role'];
  if ((role !== 'user' && role !== 'assistant') || typeof row['content'] !== 'string') return null;
  const message: Message = { role, content: row['content'] };
  const { reasoning, note, model, tokens, tokensPerSecond } = row;
  if (typeof reasoning === 'string') message.reasoning = reasoning;
  if (note === 'stopped' || note === 'length' || note === 'broken') message.note = note;
  if (typeof model === 'string') message.model = model;
  if (typeof tokens === 'number') message.tokens = tokens;
  if (typeof tokensPerSecond === 'number') message.tokensPerSecond = tokensPerSecond;
  return message;
}

/** The chat that the value is, or null: one bad message makes the record bad, nothing is guessed. */
export function readChat(value: unknown): Chat | null {
  if (typeof value !== 'object' || value === null) return null;
  const row = value as Json;
  const { id, title, createdMs, updatedMs, messages } = row;
  if (typeof id !== 'string' || !/^[\w-]{1,64}$/.test(id) || typeof title !== 'string') return null;
  if (typeof createdMs !== 'number' || typeof updatedMs !== 'number' || !Array.isArray(messages)) return null;
  const read = messages.map(readMessage);
  if (read.some((message) => message === null)) return null;
  return { id, title, createdMs, updatedMs, messages: read as Message[] };
}
