import type { Express } from 'express';

import { createControlApp, createRulesService, listenControl } from '../control/index.ts';
import type { ControlListener, PreviewTurn } from '../control/index.ts';
import type { Options } from '../schemas/generated/options.ts';
import { compileText, ConfigStore, parseListen, watchConfig, withoutSecrets } from './config/index.ts';
import type { ConfigState, ReloadOutcome } from './config/index.ts';
import { ToolrollError } from './core/errors.ts';
import {
  createPassthrough,
  createProxyApp,
  createSkillRoutes,
  listenProxy,
  previewTurn,
} from './server/index.ts';
import type { Passthrough } from './server/index.ts';
import { createLog, createTelemetry } from './telemetry/index.ts';
import type { Log, Telemetry } from './telemetry/index.ts';
import { createUpstream } from './upstream/index.ts';
import type { Upstream } from './upstream/index.ts';

/** What the process is started with. */
export interface StartOptions {
  readonly options: Options;
  /** For `HTTPS_PROXY` and its kin. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  /** Where log lines go; stderr if absent. */
  readonly log?: Log;
}

/** A running Toolroll. */
export interface Toolroll {
  readonly proxyUrl: string;
  readonly controlUrl: string;
  /** Lets running answers end, within the drain limit, and closes everything. */
  close(): Promise<void>;
}

/**
 * Puts the parts together and starts both listeners.
 *
 * @throws the system's error where an address cannot be had, TypeError where the upstream cannot be used
 */
export async function startToolroll(start: StartOptions): Promise<Toolroll> {
  const { options, version } = start;
  const secrets = [options.upstreamApiKey, options.adminApiKey].filter((secret) => secret !== undefined);
  const log = start.log ?? createLog({ level: options.logLevel, secrets });
  const telemetry = createTelemetry({ log, auditEntries: options.auditEntries, secrets });
  const { rulesDir, skillsDir, skillMaxTokens } = options;
  const store = new ConfigStore({
    directory: rulesDir,
    skillsDirectory: skillsDir,
    skillMaxTokens,
    now: Date.now,
    log,
  });
  store.onReload((outcome) => {
    reportReload(outcome, store, telemetry);
  });
  await store.reload();

  const upstream = openUpstream(options, start.environment);
  const passthrough = createPassthrough({ upstream, log });
  const proxyApp = createApp({ options, store, upstream, passthrough, telemetry });
  const proxy = await listenProxy(proxyApp, addressOf(options.proxyListen), options.maxConnections);
  passthrough.attachUpgrades(proxy.server);

  let draining = false;
  const control = await openControl(start, { store, telemetry, isDraining: () => draining }).catch(
    async (error: unknown) => {
      // Half a process, without health and metrics, is worse than none.
      await proxy.drain(0);
      throw error;
    },
  );
  const watch = watchConfig({
    rulesDirectory: rulesDir,
    skillsDirectory: skillsDir,
    onChange: () => void store.reload(),
    pollSeconds: options.configPollSeconds,
    log,
  });
  log.info('listening', { proxy: proxy.url, control: control.url, version });

  return {
    proxyUrl: proxy.url,
    controlUrl: control.url,
    close: async () => {
      draining = true;
      log.info('draining', { seconds: options.drainSeconds });
      await watch.close();
      const whole = await proxy.drain(options.drainSeconds);
      if (!whole) log.warn('drain_cut', { seconds: options.drainSeconds });
      upstream.close();
      await control.close();
      log.info('stopped');
    },
  };
}

interface ProxyParts {
  readonly options: Options;
  readonly store: ConfigStore;
  readonly upstream: Upstream;
  readonly passthrough: Passthrough;
  readonly telemetry: Telemetry;
}

function createApp({ options, store, upstream, passthrough, telemetry }: ProxyParts): Express {
  const config = (): ConfigState => store.current();
  return createProxyApp({
    turns: { config, upstream, telemetry, settings: options },
    skillRoutes: createSkillRoutes({
      config,
      reload: () => store.reload(),
      bodyLimitBytes: options.bodyLimitBytes,
      onFailure: (error) => {
        const stack = error instanceof Error ? error.stack : String(error);
        telemetry.log.error('skill_route_failed', { stack });
      },
    }),
    passthrough,
  });
}

interface ControlParts {
  readonly store: ConfigStore;
  readonly telemetry: Telemetry;
  readonly isDraining: () => boolean;
}

function openControl({ options, version }: StartOptions, parts: ControlParts): Promise<ControlListener> {
  const { store, telemetry, isDraining } = parts;
  const app = createControlApp({
    rules: createRulesService(store, options.rulesDir),
    telemetry,
    log: telemetry.log,
    previewTurn: createPreview(store),
    settings: {
      ...(options.adminApiKey === undefined ? {} : { adminApiKey: options.adminApiKey }),
      bodyLimitBytes: options.bodyLimitBytes,
      publicOptions: { ...withoutSecrets(options) },
      version,
      startedAt: Date.now(),
    },
    now: Date.now,
    isDraining,
  });
  return listenControl(app, addressOf(options.controlListen));
}

function openUpstream(options: Options, environment: StartOptions['environment']): Upstream {
  return createUpstream({
    baseUrl: options.upstreamBaseUrl,
    apiKey: options.upstreamApiKey,
    connectTimeoutMs: options.connectTimeoutSeconds * 1000,
    firstByteTimeoutMs: options.firstByteTimeoutSeconds * 1000,
    idleTimeoutMs: options.idleTimeoutSeconds * 1000,
    environment,
  });
}

function addressOf(text: string): { host: string; port: number } {
  const address = parseListen(text);
  if (address === undefined) throw new TypeError(`${text} is not host:port`);
  return address;
}

/** The poll looks every half minute: what it finds unchanged, or refused before, is no news. */
function reportReload(outcome: ReloadOutcome, store: ConfigStore, telemetry: Telemetry): void {
  if (outcome.repeated) return;
  const state = store.current();
  const snapshot = state.status === 'ready' ? state.snapshot : undefined;
  if (outcome.kind === 'applied' && snapshot !== undefined) {
    telemetry.setKnownNames({
      models: snapshot.ruleSets.flatMap((ruleSet) => ruleSet.modelNames),
      ruleSets: snapshot.ruleSets.map(({ name, rules }) => ({ name, rules: rules.map(({ id }) => id) })),
    });
  }
  telemetry.recordReload({
    outcome: outcome.kind,
    revision: snapshot?.revision ?? null,
    valid: outcome.kind !== 'refused',
    at: Date.now(),
  });
}

function createPreview(store: ConfigStore): PreviewTurn {
  return ({ requestBody, endpoint, rules, headers }) => {
    const state = store.current();
    const skills = state.status === 'ready' ? state.snapshot.skills : new Map();
    if (rules !== undefined) {
      const { ruleSets } = compileText(rules, 'rules');
      return previewTurn(requestBody, { endpoint, rules: { ruleSets, skills }, headers });
    }
    if (state.status === 'ready')
      return previewTurn(requestBody, { endpoint, rules: state.snapshot, headers });
    throw new ToolrollError('rules_unavailable', {
      reason: state.status === 'invalid' ? state.lastError : 'they are still being loaded',
    });
  };
}
