import type { ErrorCode } from '../proxy/core/errors.ts';
import type { Fault, SkillFault } from '../proxy/config/index.ts';
import type { Protocol } from '../proxy/core/turn/index.ts';
import type { AuditEvent, AuditOperation } from '../schemas/generated/audit-event.ts';

/** What the control API needs of the rest of the process. */
export interface ControlDependencies {
  readonly rules: RulesService;
  readonly telemetry: ControlTelemetry;
  readonly log: ControlLog;
  /** Shows what a turn would become, without calling the upstream. */
  readonly previewTurn: PreviewTurn;
  readonly settings: ControlSettings;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** True from the moment that the process was asked to stop. */
  readonly isDraining: () => boolean;
}

export interface ControlSettings {
  /** The Bearer token for /api; absent: loopback callers only. */
  readonly adminApiKey?: string;
  /** The largest body of `apply`, in bytes. */
  readonly bodyLimitBytes: number;
  /** The options of the process without its secrets, for `status`. */
  readonly publicOptions: Readonly<Record<string, unknown>>;
  readonly version: string;
  /** When the process started, in milliseconds since 1970. */
  readonly startedAt: number;
}

export interface ControlTelemetry {
  readonly metrics: { readonly expose: () => Promise<string>; readonly contentType: string };
  readonly audit: { readonly recent: (limit: number) => readonly AuditEvent[] };
  readonly recordRefusal: (code: ErrorCode) => void;
}

export interface ControlLog {
  readonly info: (event: string, fields?: Readonly<Record<string, unknown>>) => void;
  readonly error: (event: string, fields?: Readonly<Record<string, unknown>>) => void;
}

/** One file of the revision that serves. */
export interface RuleFile {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
  /** The names of the rule sets in it. */
  readonly ruleSets: readonly string[];
}

/** What is loaded now, and what is wrong with what lies in the directory. */
export interface RulesView {
  /** `invalid`: no valid rules were ever loaded. */
  readonly status: 'loading' | 'ready' | 'invalid';
  /** The revision that serves; null while none does. */
  readonly revision: string | null;
  /** When that revision was loaded, in milliseconds since 1970. */
  readonly loadedAt: number | null;
  readonly files: readonly RuleFile[];
  /** Why the newest state of the directory was refused; empty where it serves. */
  readonly faults: readonly Fault[];
  /** Names of the skills that serve. */
  readonly skills: readonly string[];
  /** What is wrong with other skills; it keeps nothing else from serving. */
  readonly skillFaults: readonly SkillFault[];
}

export interface ReloadReport {
  readonly outcome: 'applied' | 'unchanged' | 'refused';
  readonly revision: string | null;
  readonly faults: readonly Fault[];
}

/** What came of writing a rule file. */
export type WriteReport =
  | { readonly kind: 'written'; readonly reload: ReloadReport }
  | { readonly kind: 'invalid'; readonly faults: readonly Fault[] }
  | { readonly kind: 'read_only'; readonly reason: string };

/** The rules directory as the control API sees it. */
export interface RulesService {
  view(): RulesView;
  reload(): Promise<ReloadReport>;
  /** Checks one file by itself, as the loader would. */
  check(name: string, bytes: Uint8Array): readonly Fault[];
  /** Checks the directory as it would be with this file, then writes it atomically and reloads. */
  write(name: string, bytes: Uint8Array): Promise<WriteReport>;
}

export interface PreviewInput {
  /** The raw JSON text of the request body, exactly as it came. */
  readonly requestBody: string;
  readonly endpoint: Protocol;
  /** A rule file's text to use instead of the rules that serve; it has been checked. */
  readonly rules?: string;
  /** Headers of the request by lower-case name, for rule sets that match on them. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** JSON texts are raw, so that numbers and spelling survive into the answer. */
export interface PreviewResult {
  /** The JSON array of the tools that came. */
  readonly originalTools: string;
  /** The JSON array of the tools that the upstream would get on the first hop. */
  readonly modifiedTools: string;
  readonly operations: readonly AuditOperation[];
  readonly plan: PreviewPlan;
  /** The JSON object that the upstream would get on the first hop. */
  readonly finalRequest: string;
}

export interface PreviewPlan {
  readonly name: AuditEvent['plan'];
  readonly reasons: readonly string[];
  /** The rule set that matched; null where none did. */
  readonly ruleSet: string | null;
}

/** @throws ToolrollError where the turn would be refused */
export type PreviewTurn = (input: PreviewInput) => PreviewResult;
