import { readFileSync } from 'node:fs';
import type { Options } from '../../schemas/generated/options.ts';
import { explain, nearest } from './explain.ts';
import { errorCode } from './file-error.ts';
import { parseListen } from './listen.ts';
import { describeOptions } from './option-table.ts';
import type { OptionDescription } from './option-table.ts';
import { checkOptions } from './validator.ts';

/** One thing wrong with how the process was started. */
export interface OptionFault {
  /** The flag or the environment variable that it came from. */
  readonly source: string;
  readonly message: string;
}

/** Where options come from. An empty text counts as not set. */
export interface OptionSources {
  /** Flags by the option's name, as in `proxyListen`. */
  readonly flags: Readonly<Record<string, string | undefined>>;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** The options, or everything that is wrong with them. */
export type LoadedOptions =
  | { readonly options: Options; readonly faults?: never }
  | { readonly faults: readonly OptionFault[]; readonly options?: never };

/**
 * Resolves the options: flags before environment before defaults. Secrets may stand in files.
 * Every fault is told at once; the values of secrets never appear in one.
 */
export function loadOptions(sources: OptionSources): LoadedOptions {
  const resolution = new Resolution(sources);
  return resolution.resolve();
}

/** A value as it was given, and by what. */
interface Given {
  readonly text: string;
  readonly source: string;
}

class Resolution {
  private readonly sources: OptionSources;
  private readonly table = describeOptions();
  private readonly faults: OptionFault[] = [];
  private readonly givenBy = new Map<string, string>();
  private readonly values = new Map<string, string | number>();

  constructor(sources: OptionSources) {
    this.sources = sources;
  }

  resolve(): LoadedOptions {
    this.refuseUnknown();
    for (const option of this.table) this.read(option);
    for (const option of this.table) this.readFile(option);
    const checked = checkOptions(Object.fromEntries(this.values));
    if (!checked.ok) {
      for (const { pointer, message } of explain(checked.errors)) {
        const name = pointer.slice(1);
        this.fault(this.givenBy.get(name) ?? name, message.replace(`${name} must`, 'must'));
      }
    }
    return checked.ok && this.faults.length === 0 ? { options: checked.value } : { faults: this.faults };
  }

  private read(option: OptionDescription): void {
    const given = this.given(option);
    if (given === undefined) {
      if (option.default !== undefined) this.values.set(option.name, option.default);
      return;
    }
    this.givenBy.set(option.name, given.source);
    this.values.set(option.name, this.convert(option, given) ?? option.default ?? given.text);
  }

  private given(option: OptionDescription): Given | undefined {
    const flag = this.sources.flags[option.name];
    if (flag !== undefined && flag !== '') return { text: flag, source: option.flag };
    const variable = this.sources.environment[option.env];
    return variable === undefined || variable === '' ? undefined : { text: variable, source: option.env };
  }

  private convert(option: OptionDescription, { text, source }: Given): string | number | null {
    if (option.kind === 'number') {
      if (/^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text)) return Number(text);
      return this.fault(source, `must be a number, it is '${text}'`);
    }
    if (option.format === 'listen' && parseListen(text) === undefined) {
      return this.fault(source, `must be host:port, as in 127.0.0.1:8080 or [::]:9090, it is '${text}'`);
    }
    return option.format === 'url' ? this.convertUrl({ text, source }) : text;
  }

  /** The base URL without a slash at its end, so that paths can be appended. */
  private convertUrl({ text, source }: Given): string | null {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
      return this.fault(source, `must be an http or https URL, it is '${text}'`);
    }
    // Not shown: what stands there may be a password.
    if (url.username !== '' || url.password !== '')
      return this.fault(source, 'must not hold a user or a password');
    if (url.search !== '' || url.hash !== '') return this.fault(source, "must end before any '?' or '#'");
    return url.href.replace(/\/+$/, '');
  }

  /** Reads the file that holds a secret. */
  private readFile(option: OptionDescription): void {
    const file = this.values.get(option.name);
    if (option.holds === undefined || typeof file !== 'string') return;
    const source = this.givenBy.get(option.name) ?? option.env;
    const rival = this.givenBy.get(option.holds);
    if (rival !== undefined) {
      this.fault(source, `is given beside ${rival}: give the key in one way only`);
      return;
    }
    try {
      const secret = readFileSync(file, 'utf8').trim();
      if (secret === '') this.fault(source, `names the file '${file}', which is empty`);
      else this.values.set(option.holds, secret);
    } catch (error) {
      this.fault(source, `names the file '${file}', which cannot be read: ${errorCode(error)}`);
    }
  }

  private refuseUnknown(): void {
    const flags = this.table.map(({ name }): string => name);
    for (const [name, value] of Object.entries(this.sources.flags)) {
      if (value !== undefined && !flags.includes(name)) this.unknown(name, flags);
    }
    const variables = this.table.map(({ env }) => env);
    for (const [name, value] of Object.entries(this.sources.environment)) {
      if (!name.startsWith('TOOLROLL_') || variables.includes(name) || isServiceLink(name)) continue;
      if (value !== undefined && value !== '') this.unknown(name, variables);
    }
  }

  private unknown(name: string, known: readonly string[]): void {
    const near = nearest(name, known);
    this.fault(name, near === undefined ? 'is not an option' : `is not an option; did you mean ${near}?`);
  }

  /** Notes a fault; the `null` stands for the value that could not be had. */
  private fault(source: string, message: string): null {
    this.faults.push({ source, message });
    return null;
  }
}

/** Kubernetes sets such variables in every pod for a Service whose name begins with `toolroll`. */
function isServiceLink(name: string): boolean {
  return /_(?:SERVICE_HOST|SERVICE_PORT(?:_\w+)?|PORT|PORT_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?)$/.test(
    name,
  );
}

/** The options without secrets, for status pages: of a key only whether it is set. */
export type PublicOptions = Omit<Options, 'upstreamApiKey' | 'adminApiKey'> & {
  readonly upstreamApiKey: 'set' | 'not set';
  readonly adminApiKey: 'set' | 'not set';
};

/** Takes the secrets out of the options. */
export function withoutSecrets(options: Options): PublicOptions {
  const isSet = (secret: string | undefined): 'set' | 'not set' => (secret === undefined ? 'not set' : 'set');
  return {
    ...options,
    upstreamApiKey: isSet(options.upstreamApiKey),
    adminApiKey: isSet(options.adminApiKey),
  };
}
