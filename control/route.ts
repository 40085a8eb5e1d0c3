import type { Request, Response } from 'express';
import type { ControlDependencies } from './dependencies.ts';

/** JSON Schema as it stands in the OpenAPI document. */
export type Schema = Readonly<Record<string, unknown>>;

/** A body that a route reads. */
export interface RouteBody {
  readonly accepts: readonly string[];
  readonly limitBytes: (dependencies: ControlDependencies) => number;
  readonly description: string;
  readonly schema: Schema;
}

/** One answer of a route, for the document. */
export interface RouteAnswer {
  readonly description: string;
  readonly contentType?: string;
  readonly schema?: Schema;
}

export interface RouteParameter {
  readonly name: string;
  readonly in: 'query' | 'path';
  readonly required: boolean;
  readonly description: string;
  readonly schema: Schema;
}

/** What a handler gets: `body` is empty where the route reads none. */
export interface Exchange {
  readonly request: Request;
  readonly response: Response;
  readonly body: Uint8Array;
  readonly dependencies: ControlDependencies;
}

/**
 * One route: how it is served and how it is documented. The router and the OpenAPI document are both built from the
 * list of these, so neither can hold what the other lacks.
 */
export interface Route {
  readonly method: 'get' | 'put' | 'post';
  /** As OpenAPI writes it: parameters in braces. */
  readonly path: string;
  /** Under which heading the document shows it. */
  readonly group: 'rules' | 'state' | 'health' | 'docs';
  /** `admin`: behind the key or, without one, for loopback callers only. */
  readonly access: 'open' | 'admin';
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly RouteParameter[];
  readonly body?: RouteBody;
  readonly answers: Readonly<Record<number, RouteAnswer>>;
  readonly handle: (exchange: Exchange) => void | Promise<void>;
}
