// The server's OpenAI-compatible door. Addresses are relative to the page, so that any proxy path works.

import { SseParser } from './sse';

export interface Model {
  id: string;
  description: string;
}

export interface ApiMessage {
  role: 'user' | 'assistant';
  content: string;
}

export interface Usage {
  promptTokens: number;
  completionTokens: number;
}

export type Delta =
  | { type: 'content'; text: string }
  | { type: 'reasoning'; text: string }
  | { type: 'finish'; reason: string }
  | { type: 'usage'; usage: Usage };

export type Trouble =
  | { kind: 'unreachable' }
  | { kind: 'broken' }
  | { kind: 'too_long'; needed: number | null; limit: number | null }
  | { kind: 'busy'; retryAfterS: number | null }
  | { kind: 'limited'; retryAfterS: number | null }
  | { kind: 'forbidden' }
  | { kind: 'no_model'; model: string }
  | { kind: 'refused'; status: number; detail: string };

export class ApiError extends Error {
  constructor(readonly trouble: Trouble) {
    super(trouble.kind);
  }
}

export function apiUrl(path: string): string {
  return new URL(path, new URL('./', document.baseURI.replace(/[?#].*$/, ''))).href;
}

type Json = Record<string, unknown>;

function asObject(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function asCount(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

async function request(path: string, init: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(apiUrl(path), { ...init, cache: 'no-store' });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new ApiError({ kind: 'unreachable' });
  }
  if (!response.ok) throw new ApiError(await readTrouble(response));
  return response;
}

export async function listModels(signal?: AbortSignal): Promise<Model[]> {
  const response = await request('v1/models', { signal: signal ?? null });
  let body: Json;
  try {
    body = asObject(await response.json());
  } catch {
    throw new ApiError({ kind: 'unreachable' });
  }
  const rows = Array.isArray(body['data']) ? body['data'] : [];
  return rows
    .map((row) => ({ id: asText(asObject(row)['id']), description: asText(asObject(row)['description']) }))
    .filter((model) => model.id !== '');
}

/** Sends the conversation; yields what the answer brings. Throws ApiError, or the abort of `signal`. */
export async function* streamChat(
  model: string,
  messages: ApiMessage[],
  signal: AbortSignal,
): AsyncGenerator<Delta> {
  const response = await request('v1/chat/completions', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'text/event-stream' },
    body: JSON.stringify({ model, messages, stream: true, stream_options: { include_usage: true } }),
    signal,
  });
  const reader = response.body?.getReader();
  if (!reader) throw new ApiError({ kind: 'broken' });
  const decoder = new TextDecoder();
  const parser = new SseParser();
  let finished = false;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      const events = done
        ? [...parser.push(decoder.decode()), ...parser.end()]
        : parser.push(decoder.decode(value, { stream: true }));
      for (const event of events) {
        if (event.data === '[DONE]') return;
        for (const delta of readDeltas(event.data)) {
          finished ||= delta.type === 'finish';
          yield delta;
        }
      }
      if (done) break;
    }
  } catch (error) {
    if (signal.aborted || error instanceof ApiError) throw error;
    throw new ApiError({ kind: 'broken' });
  } finally {
    reader.cancel().catch(() => undefined);
  }
  if (!finished) throw new ApiError({ kind: 'broken' });
}

/** One event's data. Unknown fields are no fault; broken JSON is. */
export function readDeltas(data: string): Delta[] {
  const chunk = asObject(JSON.parse(data));
  if (chunk['error'] !== undefined) throw new ApiError(troubleOf(500, chunk['error'], null));
  const deltas: Delta[] = [];
  const choice = asObject(Array.isArray(chunk['choices']) ? chunk['choices'][0] : undefined);
  const delta = asObject(choice['delta']);
  const reasoning = asText(delta['reasoning_content']) || asText(delta['reasoning']);
  const content = asText(delta['content']);
  if (reasoning !== '') deltas.push({ type: 'reasoning', text: reasoning });
  if (content !== '') deltas.push({ type: 'content', text: content });
  const usage = asObject(chunk['usage']);
  const completionTokens = asCount(usage['completion_tokens']);
  if (completionTokens !== null) {
    deltas.push({
      type: 'usage',
      usage: { promptTokens: asCount(usage['prompt_tokens']) ?? 0, completionTokens },
    });
  }
  const reason = asText(choice['finish_reason']);
  if (reason !== '') deltas.push({ type: 'finish', reason });
  return deltas;
}

async function readTrouble(response: Response): Promise<Trouble> {
  let body: unknown;
  const text = await response.text().catch(() => '');
  try {
    body = asObject(JSON.parse(text))['error'];
  } catch {
    body = undefined;
  }
  const wait = Number.parseFloat(response.headers.get('Retry-After') ?? '');
  return troubleOf(response.status, body, Number.isFinite(wait) ? Math.ceil(wait) : null);
}

export function troubleOf(httpStatus: number, body: unknown, retryAfterS: number | null): Trouble {
  const error = asObject(body);
  const detail = (asText(error['message']) || asText(body)).slice(0, 500);
  const code = asText(error['code']) || asText(error['type']);
  const status =
    httpStatus === 500 ? (asCount(error['code']) ?? asCount(error['status']) ?? 500) : httpStatus;
  if (code === 'context_length_exceeded' || code === 'exceed_context_size_error') {
    return { kind: 'too_long', ...contextNumbers(error, detail) };
  }
  if (status === 503) return { kind: 'busy', retryAfterS };
  if (status === 429) return { kind: 'limited', retryAfterS };
  if (status === 401 || status === 403) return { kind: 'forbidden' };
  if (status === 404) return { kind: 'no_model', model: asText(error['param']) };
  if (status === 502 || status === 504) return { kind: 'unreachable' };
  return { kind: 'refused', status, detail };
}

/** How many tokens were needed and how many fit, from fields if the server gives them, else its sentence. */
export function contextNumbers(
  error: Json,
  message: string,
): { needed: number | null; limit: number | null } {
  const limit = asCount(error['context_length']) ?? asCount(error['n_ctx']);
  const needed = asCount(error['tokens']) ?? asCount(error['n_prompt_tokens']);
  if (limit !== null && needed !== null) return { needed, limit };
  const plain = message.replace(/(\d)[,_](?=\d{3})/g, '$1');
  const limitText = /(?:maximum|context)[^.\d]*?(\d+)/i.exec(plain)?.[1];
  const neededText = /(?:requested|resulted in|needs?|has|have|got|given)\D{0,24}?(\d+)/i.exec(plain)?.[1];
  if (limitText && neededText && limitText !== neededText) {
    return { needed: Number(neededText), limit: Number(limitText) };
  }
  const numbers = (plain.match(/\d+/g) ?? []).map(Number);
  if (numbers.length === 2) return { needed: Math.max(...numbers), limit: Math.min(...numbers) };
  return { needed: null, limit: null };
}
