import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocket, WebSocketServer } from 'ws';
import { createProgram } from '../../control/cli/index.ts';
import { startWith } from './support/index.ts';

/** An upstream that takes WebSockets on any path and never closes one. */
async function startSocketUpstream(): Promise<{ url: string; close: () => Promise<void> }> {
  const server = createServer();
  const sockets = new WebSocketServer({ server });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // Listening on TCP: the address is an AddressInfo.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${String(port)}/v1`,
    close: async () => {
      for (const client of sockets.clients) client.terminate();
      sockets.close();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

describe('shutting down', () => {
  it('does not wait for a WebSocket beyond the drain limit', async () => {
    const upstream = await startSocketUpstream();
    const toolroll = await startWith({ upstream, options: { drainSeconds: 0.2 } });
    const socket = new WebSocket(`${toolroll.proxyUrl.replace('http', 'ws')}/v1/responses`);
    await new Promise((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('error', reject);
    });
    const closed = new Promise((resolve) => socket.once('close', resolve));
    await toolroll.close();
    await closed;
    expect(toolroll.logLines.map(({ event }) => event)).toContain('drain_cut');
    await upstream.close();
  });

  it('takes the proxy down with it where control cannot listen', async () => {
    const upstream = await startSocketUpstream();
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const { port } = taken.address() as AddressInfo;
    const free = createServer();
    await new Promise<void>((resolve) => free.listen(0, '127.0.0.1', resolve));
    const proxyPort = (free.address() as AddressInfo).port;
    await new Promise((resolve) => free.close(resolve));
    const starting = startWith({
      upstream,
      options: {
        proxyListen: `127.0.0.1:${String(proxyPort)}`,
        controlListen: `127.0.0.1:${String(port)}`,
      },
    });
    await expect(starting).rejects.toThrow('EADDRINUSE');
    await expect(fetch(`http://127.0.0.1:${String(proxyPort)}/`)).rejects.toThrow();
    await new Promise((resolve) => taken.close(resolve));
    await upstream.close();
  });
});

describe('the command line', () => {
  const run = async (...words: string[]): Promise<{ codes: number[]; lines: string[]; served: number }> => {
    const codes: number[] = [];
    const lines: string[] = [];
    let served = 0;
    const serve = (): Promise<void> => {
      served += 1;
      return Promise.resolve();
    };
    const program = createProgram(
      { serve },
      { version: '1.2.3', environment: {}, complain: (l) => lines.push(l), exit: (c) => codes.push(c) },
    );
    await program.parseAsync(words, { from: 'user' }).catch(() => undefined);
    return { codes, lines, served };
  };

  it('serves with flags that are right', async () => {
    expect(await run('serve', '--proxy-listen', '127.0.0.1:0')).toEqual({ codes: [], lines: [], served: 1 });
  });

  it.each([
    ['an unknown flag', ['serve', '--nope']],
    ['an unknown command', ['bogus']],
    ['a flag without its value', ['serve', '--rules-dir']],
    ['a value that does not fit', ['serve', '--log-level', 'loud']],
  ])('ends with 2 and a line about it for %s', async (_what, words) => {
    const { codes, lines, served } = await run(...words);
    expect(codes).toEqual([2]);
    expect(lines.join('\n')).not.toBe('');
    expect(served).toBe(0);
  });
});
