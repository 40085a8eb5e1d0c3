import * as http from 'node:http';
import * as net from 'node:net';
import { run } from './real-servers.ts';
import type { RunningServer } from './real-servers.ts';

/** What a forward proxy was asked for, in order: `GET http://…`, `CONNECT host:port`. */
export interface ForwardProxy extends RunningServer {
  readonly asked: string[];
  readonly authorizations: (string | undefined)[];
}

/** A forward proxy that does both: absolute form over its own connection, and tunnels. */
export async function startForwardProxy(): Promise<ForwardProxy> {
  const asked: string[] = [];
  const authorizations: (string | undefined)[] = [];
  const server = http.createServer((request, response) => {
    asked.push(`${request.method ?? ''} ${request.url ?? ''}`);
    authorizations.push(request.headers['proxy-authorization']);
    const onward = http.request(request.url ?? '', {
      method: request.method ?? 'GET',
      headers: request.headers,
    });
    onward.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(response);
    });
    request.pipe(onward);
  });
  server.on('connect', (request, socket, head) => {
    asked.push(`CONNECT ${request.url ?? ''}`);
    authorizations.push(request.headers['proxy-authorization']);
    const [host = '', port = ''] = (request.url ?? '').split(':');
    const onward = net.connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      onward.write(head);
      onward.pipe(socket).pipe(onward);
    });
    onward.on('error', () => socket.destroy());
    socket.on('close', () => onward.destroy());
  });
  return { ...(await run(server)), asked, authorizations };
}
