// The same reads over HTTP with nothing but the protocol library: its session transport at /mcp, its handler for clients
// without sessions, and one tool. It checks no token and has no limits, no wall and no trace.
//   node bench/library-http.mjs DIR
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import {
  createMcpHandler,
  Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';

const [folder] = process.argv.slice(2);
const sessions = new Map();
const stateless = createMcpHandler(newServer, { legacy: 'reject', responseMode: 'json' });

function newServer() {
  const server = new Server({ name: 'library', version: '1' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/call', async ({ params }) => {
    const text = await readFile(join(folder, params.arguments.path), 'utf8');
    return { content: [{ type: 'text', text }] };
  });
  return server;
}

async function answer(request) {
  if (request.headers.get('mcp-method') !== null) return stateless.fetch(request);
  const id = request.headers.get('mcp-session-id');
  const transport = id === null ? await newTransport() : sessions.get(id);
  return transport.handleRequest(request);
}

async function newTransport() {
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    enableJsonResponse: true,
    onsessioninitialized: (id) => void sessions.set(id, transport),
    onsessionclosed: (id) => void sessions.delete(id),
  });
  await newServer().connect(transport);
  return transport;
}

function webRequest({ method, headers, url }, body) {
  return new Request(`http://127.0.0.1${url}`, { method, headers, ...(body !== '' && { body }) });
}

createServer(async (incoming, outgoing) => {
  let body = '';
  for await (const chunk of incoming.setEncoding('utf8')) body += chunk;
  const response = await answer(webRequest(incoming, body));
  const headers = Object.fromEntries(response.headers);
  if (headers['content-type']?.startsWith('application/json') || response.body === null) {
    const text = await response.text();
    outgoing.writeHead(response.status, { ...headers, 'Content-Length': Buffer.byteLength(text) });
    outgoing.end(text);
    return;
  }
  outgoing.writeHead(response.status, headers);
  Readable.fromWeb(response.body).pipe(outgoing);
}).listen(0, '127.0.0.1', function listening() {
  console.error(`port ${this.address().port}`);
});
