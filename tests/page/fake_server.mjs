// A scripted server for the page's tests: it serves web/dist with the policy that the binary sends, and
// answers the API as the test says. `startProxy` puts any server below a path.

import { readFile } from 'node:fs/promises';
import http from 'node:http';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const kPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const kDist = fileURLToPath(new URL('../../web/dist/', import.meta.url));
const kTypes = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** One answer being written. */
class Stream {
  closed = false;
  #response;
  constructor(response) {
    this.#response = response;
    response.on('close', () => {
      this.closed = true;
    });
  }
  raw(text) {
    if (!this.#response.headersSent) this.#response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    if (!this.closed) this.#response.write(text);
  }
  send(value) {
    this.raw(`data: ${JSON.stringify(value)}\n\n`);
  }
  content(text) {
    this.send({ choices: [{ index: 0, delta: { content: text }, finish_reason: null }] });
  }
  reasoning(text) {
    this.send({ choices: [{ index: 0, delta: { reasoning_content: text }, finish_reason: null }] });
  }
  finish(reason = 'stop', tokens = 7) {
    this.send({ choices: [{ index: 0, delta: {}, finish_reason: reason }] });
    this.send({ choices: [], usage: { prompt_tokens: 5, completion_tokens: tokens } });
    this.raw('data: [DONE]\n\n');
    this.#response.end();
  }
  fail(status, error, headers = {}) {
    this.#response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
    this.#response.end(JSON.stringify({ error }));
  }
  cut() {
    this.#response.destroy();
  }
}

export async function startFakeServer() {
  const server = {
    url: '',
    models: [
      { id: 'SmolLM2-135M-Instruct' },
      { id: 'Qwen2.5-Coder-1.5B-Instruct', description: 'Qwen 2.5 Coder, Q4_K_M' },
    ],
    modelsStatus: 200,
    /** Bodies of POST v1/chat/completions. */
    posts: [],
    paths: [],
    /** Called for each POST; by default the answer is an echo. */
    reply: async (body, stream) => {
      stream.content(`You said: ${body.messages.at(-1).content}`);
      stream.finish();
    },
    close: () => undefined,
  };
  const listener = http.createServer(async (request, response) => {
    const { pathname } = new URL(request.url, 'http://x');
    server.paths.push(pathname);
    if (pathname === '/v1/models') {
      response.writeHead(server.modelsStatus, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify({ object: 'list', data: server.models }));
    } else if (pathname === '/v1/chat/completions' && request.method === 'POST') {
      let text = '';
      for await (const piece of request.setEncoding('utf8')) text += piece;
      const body = JSON.parse(text);
      server.posts.push(body);
      await server.reply(body, new Stream(response));
    } else {
      await serveFile(pathname, response);
    }
  });
  const port = await listen(listener);
  server.url = `http://127.0.0.1:${port}/`;
  server.close = () => shut(listener);
  return server;
}

async function serveFile(pathname, response) {
  const name = pathname === '/' ? 'index.html' : pathname.slice(1);
  const type = kTypes[path.extname(name)];
  const body =
    /^[\w.-]+$/.test(name) && type ? await readFile(path.join(kDist, name)).catch(() => null) : null;
  if (body === null) {
    response.writeHead(404, { 'Content-Type': 'application/json' });
    response.end('{"error":{"message":"not found"}}');
    return;
  }
  response.writeHead(200, {
    'Content-Type': type,
    'Content-Security-Policy': kPolicy,
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-cache',
  });
  response.end(body);
}

/** A proxy that shows the server at `target` below `prefix` ("/llm/") and knows nothing else. */
export async function startProxy(target, prefix) {
  const proxy = { url: '', outside: [], close: () => undefined };
  const listener = http.createServer((request, response) => {
    if (request.url === prefix.slice(0, -1)) {
      response.writeHead(308, { Location: prefix });
      response.end();
      return;
    }
    if (!request.url.startsWith(prefix)) {
      proxy.outside.push(request.url);
      response.writeHead(404);
      response.end();
      return;
    }
    const { method, headers } = request;
    const { host, ...kept } = headers;
    const onward = http.request(
      new URL(request.url.slice(prefix.length), target),
      { method, headers: kept },
      (answer) => {
        response.writeHead(answer.statusCode, answer.headers);
        answer.pipe(response);
      },
    );
    onward.on('error', () => response.destroy());
    response.on('close', () => onward.destroy());
    request.pipe(onward);
  });
  const port = await listen(listener);
  proxy.url = `http://127.0.0.1:${port}${prefix}`;
  proxy.close = () => shut(listener);
  return proxy;
}

function listen(listener) {
  return new Promise((resolve) => {
    listener.listen(0, '127.0.0.1', () => resolve(listener.address().port));
  });
}

function shut(listener) {
  listener.closeAllConnections();
  return new Promise((resolve) => listener.close(resolve));
}
