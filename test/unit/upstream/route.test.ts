import { execFile, execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as http from 'node:http';
import * as https from 'node:https';
import * as net from 'node:net';
import * as os from 'node:os';
import * as path from 'node:path';
import { promisify } from 'node:util';
import { transformFileSync } from '@swc/core';
import { answering, asking, atEnd, bytesOf, cleanUp, clientOf, failureOf, run } from './real-servers.ts';
import type { RunningServer } from './real-servers.ts';
import { startForwardProxy } from './forward-proxy-server.ts';

afterEach(cleanUp);

describe('through a forward proxy', () => {
  it('an http upstream is asked for in absolute form, with the proxy’s credentials for the proxy alone', async () => {
    const proxy = await startForwardProxy();
    const seen: string[][] = [];
    const server = await answering((request, response) => {
      seen.push([
        request.headers.host ?? '',
        request.url ?? '',
        request.headers['x-case'] === '1' ? 'kept' : 'lost',
      ]);
      response.end('answer');
    });
    const upstream = clientOf(server, {
      environment: { HTTP_PROXY: proxy.url.replace('//', '//us%20er:pw@') },
    });
    for (let turn = 0; turn < 2; turn += 1) {
      const request = asking({
        method: 'POST',
        path: '/v1/x?y=1',
        headers: ['X-Case', '1'],
        body: Buffer.from('{}'),
      });
      expect((await bytesOf(await upstream.send(request))).toString()).toBe('answer');
    }
    const host = new URL(server.url).host;
    expect(proxy.asked).toEqual([`POST http://${host}/v1/x?y=1`, `POST http://${host}/v1/x?y=1`]);
    expect(seen[0]).toEqual([host, '/v1/x?y=1', 'kept']);
    expect(proxy.authorizations[0]).toBe(`Basic ${Buffer.from('us er:pw').toString('base64')}`);
  });

  it('an upstream that NO_PROXY names is reached directly', async () => {
    const proxy = await startForwardProxy();
    const server = await answering((_request, response) => response.end('direct'));
    const environment = { HTTP_PROXY: proxy.url, NO_PROXY: 'localhost,127.0.0.0/8' };
    expect((await bytesOf(await clientOf(server, { environment }).send(asking()))).toString()).toBe('direct');
    expect(proxy.asked).toEqual([]);
  });

  it('an https upstream is tunnelled to, and its certificate checked at the end of the tunnel', async () => {
    const proxy = await startForwardProxy();
    const server = await startTlsServer(makeCertificate());
    const failure = await failureOf(
      clientOf(server, { environment: { HTTPS_PROXY: proxy.url } }).send(asking()),
    );
    expect(failure).toMatchObject({ kind: 'unreachable', reason: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
    expect(proxy.asked).toEqual([`CONNECT 127.0.0.1:${String(server.port)}`]);
  });

  it('a tunnel that the proxy refuses is a failure of the way, not an answer of the upstream', async () => {
    const refusing = http.createServer();
    refusing.on('connect', (_request, socket) =>
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\nno'),
    );
    const proxy = await run(refusing);
    const upstream = clientOf(
      { url: 'https://upstream.invalid' },
      { environment: { HTTPS_PROXY: proxy.url } },
    );
    expect(await failureOf(upstream.send(asking()))).toMatchObject({
      kind: 'unreachable',
      reason: 'the forward proxy answered CONNECT with status 407',
    });
  });

  it('a proxy that is not there is named unreachable', async () => {
    const gone = await run(net.createServer());
    await gone.close();
    const upstream = clientOf({ url: 'https://upstream.invalid' }, { environment: { ALL_PROXY: gone.url } });
    expect(await failureOf(upstream.send(asking()))).toMatchObject({
      kind: 'unreachable',
      reason: 'ECONNREFUSED',
    });
  });
});

interface Certificate {
  readonly key: Buffer;
  readonly cert: Buffer;
  readonly file: string;
}

/** Made by the openssl binary: Node can sign nothing into a certificate. */
function makeCertificate(): Certificate {
  const folder = temporaryFolder();
  const [keyFile, file] = [path.join(folder, 'key.pem'), path.join(folder, 'cert.pem')];
  execFileSync(
    'openssl',
    [
      ...[
        'req',
        '-x509',
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:prime256v1',
        '-nodes',
        '-days',
        '2',
      ],
      ...[
        '-subj',
        '/CN=127.0.0.1',
        '-addext',
        'subjectAltName=IP:127.0.0.1',
        '-keyout',
        keyFile,
        '-out',
        file,
      ],
    ],
    { stdio: 'pipe' },
  );
  return { key: fs.readFileSync(keyFile), cert: fs.readFileSync(file), file };
}

function temporaryFolder(): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'upstream-'));
  atEnd(() => {
    fs.rmSync(folder, { recursive: true });
  });
  return folder;
}

function startTlsServer(certificate: Certificate): Promise<RunningServer> {
  const server = https.createServer(certificate, (_request, response) => response.end('over TLS'));
  return run(server, 'https');
}

/**
 * Runs the client in a process of its own, since Node reads NODE_EXTRA_CA_CERTS at its start only. The sources are
 * transformed as Jest does it.
 */
async function sendSeparately(url: string, environment: NodeJS.ProcessEnv): Promise<string> {
  const folder = temporaryFolder();
  const sources = fs.readdirSync('proxy/upstream').map((name) => `proxy/upstream/${name}`);
  for (const source of ['proxy/core/errors.ts', ...sources]) {
    const { code } = transformFileSync(source, {
      jsc: { target: 'es2023', parser: { syntax: 'typescript' } },
      module: { type: 'commonjs' },
    });
    fs.mkdirSync(path.dirname(path.join(folder, source)), { recursive: true });
    fs.writeFileSync(path.join(folder, source), code);
  }
  fs.writeFileSync(path.join(folder, 'package.json'), '{"type":"commonjs"}');
  fs.symlinkSync(path.resolve('node_modules'), path.join(folder, 'node_modules'));
  const script = path.join(folder, 'send.cjs');
  fs.writeFileSync(
    script,
    `const { createUpstream } = require('./proxy/upstream/index.ts');
     const limits = { connectTimeoutMs: 20000, firstByteTimeoutMs: 20000, idleTimeoutMs: 20000 };
     const upstream = createUpstream({ baseUrl: ${JSON.stringify(`${url}/v1`)}, environment: {}, ...limits });
     const { signal } = new AbortController();
     (async () => {
       for (let turn = 0; turn < 2; turn += 1) {
         const response = await upstream.send({ method: 'GET', path: '/v1/x', headers: [], body: undefined, signal, answer: 'raw' });
         await response.body.consume((chunk) => void process.stdout.write(chunk));
       }
       upstream.close();
     })();`,
  );
  const { stdout } = await promisify(execFile)(process.execPath, [script], {
    env: { ...process.env, ...environment },
  });
  return stdout;
}

describe('an https upstream with a certificate of its own authority', () => {
  it('is refused where nothing vouches for it', async () => {
    const server = await startTlsServer(makeCertificate());
    expect(await failureOf(clientOf(server).send(asking()))).toMatchObject({
      kind: 'unreachable',
      reason: 'DEPTH_ZERO_SELF_SIGNED_CERT',
    });
  });

  it('is trusted through NODE_EXTRA_CA_CERTS', async () => {
    const certificate = makeCertificate();
    const server = await startTlsServer(certificate);
    expect(await sendSeparately(server.url, { NODE_EXTRA_CA_CERTS: certificate.file })).toBe(
      'over TLSover TLS',
    );
  });
});
