import { afterEach, describe, expect, test, vi } from 'vitest';
import { ApiError, apiUrl, listModels, readDeltas, streamChat, troubleOf, type Delta } from '../src/api';

afterEach(() => vi.unstubAllGlobals());

function answerWith(body: string | Uint8Array[], init: ResponseInit = {}) {
  const pieces = typeof body === 'string' ? [new TextEncoder().encode(body)] : body;
  const stream = new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece);
      controller.close();
    },
  });
  vi.stubGlobal('fetch', async () => new Response(stream, init));
}

async function collect(): Promise<Delta[]> {
  const deltas: Delta[] = [];
  for await (const delta of streamChat('m', [], new AbortController().signal)) deltas.push(delta);
  return deltas;
}

async function troubleFrom(work: Promise<unknown>) {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ApiError);
  return (error as ApiError).trouble;
}

const piece = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
const kAnswer =
  piece({ choices: [{ delta: { role: 'assistant', content: '' } }] }) +
  piece({ choices: [{ delta: { reasoning_content: '음' } }] }) +
  piece({ choices: [{ delta: { content: '안녕' } }] }) +
  piece({ choices: [{ delta: {}, finish_reason: 'stop' }] }) +
  piece({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 2 } }) +
  'data: [DONE]\n\n';

describe('the server', () => {
  test('an answer cut at every byte is read whole', async () => {
    const bytes = new TextEncoder().encode(kAnswer);
    answerWith(Array.from(bytes, (byte) => Uint8Array.of(byte)));
    expect(await collect()).toEqual([
      { type: 'reasoning', text: '음' },
      { type: 'content', text: '안녕' },
      { type: 'finish', reason: 'stop' },
      { type: 'usage', usage: { promptTokens: 3, completionTokens: 2 } },
    ]);
  });

  test('a stream that ends too early is told', async () => {
    answerWith(piece({ choices: [{ delta: { content: 'a' } }] }));
    expect(await troubleFrom(collect())).toEqual({ kind: 'broken' });
  });

  test('an error inside the stream is told', async () => {
    answerWith(piece({ error: { message: 'busy', code: 503 } }));
    expect((await troubleFrom(collect())).kind).toBe('busy');
  });

  test('data that is not JSON is a broken stream', async () => {
    answerWith('data: {oops\n\n');
    expect(await troubleFrom(collect())).toEqual({ kind: 'broken' });
  });

  test('no connection', async () => {
    vi.stubGlobal('fetch', async () => {
      throw new TypeError('Failed to fetch');
    });
    expect(await troubleFrom(listModels())).toEqual({ kind: 'unreachable' });
  });

  test('a proxy page in place of the list is no list', async () => {
    answerWith('<html>');
    expect(await troubleFrom(listModels())).toEqual({ kind: 'unreachable' });
  });

  test('503 tells when to come back', async () => {
    answerWith('{"error":{"message":"x"}}', { status: 503, headers: { 'Retry-After': '7' } });
    expect(await troubleFrom(collect())).toEqual({ kind: 'busy', retryAfterS: 7 });
  });

  test('models without an id are left out', async () => {
    answerWith(JSON.stringify({ data: [{ id: 'a', description: 'd' }, { id: 4 }, null, { id: 'b' }] }));
    expect(await listModels()).toEqual([
      { id: 'a', description: 'd' },
      { id: 'b', description: '' },
    ]);
  });
});

describe('context overflow gives both numbers', () => {
  const read = (error: Record<string, unknown>) =>
    troubleOf(400, { code: 'context_length_exceeded', ...error }, null);
  const both = { kind: 'too_long', needed: 5000, limit: 4096 };
  for (const message of [
    "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens " +
      '(4000 in the messages, 1000 in the completion).',
    "This model's maximum context length is 4,096 tokens. However, your messages resulted in 5,000 tokens.",
    'the request needs 5000 tokens, the context holds 4096',
    'prompt of 5000 tokens does not fit: 4096',
    'context is 4096 tokens, the prompt has 5000',
  ]) {
    test(message.slice(0, 60), () => expect(read({ message })).toEqual(both));
  }
  test('as fields', () => {
    expect(read({ message: '', n_ctx: 4096, n_prompt_tokens: 5000 })).toEqual(both);
  });
  test('none', () =>
    expect(read({ message: 'too long' })).toEqual({ kind: 'too_long', needed: null, limit: null }));
});

test('unknown fields and shapes in a piece are no fault', () => {
  for (const data of [
    '{}',
    '[]',
    '1',
    '{"choices":[]}',
    '{"choices":[{"delta":null}]}',
    '{"choices":{"x":1}}',
  ]) {
    expect(readDeltas(data)).toEqual([]);
  }
});

test('addresses are relative to the page', () => {
  expect(apiUrl('v1/models')).toBe(new URL('v1/models', document.baseURI).href);
});
