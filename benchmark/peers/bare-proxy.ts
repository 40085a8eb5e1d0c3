/**
 * The measure of all ratios, a process: the least that a proxy of JSON does in Node. It parses the request, serialises it
 * again and pipes the answer.
 */
import { Agent, createServer, request as openRequest } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const upstream = new URL(process.env['UPSTREAM_BASE_URL'] ?? 'http://127.0.0.1:9101/v1');
const agent = new Agent({ keepAlive: true });

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const parsed: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    forward(request, JSON.stringify(parsed), response);
  });
});
server.keepAliveTimeout = 0;
server.listen(0, '127.0.0.1', () => {
  // Listening on TCP: the address is an AddressInfo.
  const { port } = server.address() as AddressInfo;
  const line = { event: 'listening', proxy: `http://127.0.0.1:${String(port)}` };
  process.stderr.write(`${JSON.stringify(line)}\n`);
});

function forward(request: IncomingMessage, body: string, response: ServerResponse): void {
  const outgoing = openRequest(
    {
      agent,
      host: upstream.hostname,
      port: upstream.port,
      method: request.method,
      path: request.url,
      headers: {
        ...endToEnd(request.headers),
        host: upstream.host,
        'content-length': Buffer.byteLength(body),
      },
    },
    (answer) => {
      response.writeHead(answer.statusCode ?? 502, endToEnd(answer.headers));
      answer.pipe(response);
    },
  );
  outgoing.on('error', () => response.destroy());
  response.on('close', () => {
    if (!response.writableFinished) outgoing.destroy();
  });
  outgoing.end(body);
}

function endToEnd(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const rest = { ...headers };
  delete rest.connection;
  delete rest['keep-alive'];
  delete rest['transfer-encoding'];
  return rest;
}
