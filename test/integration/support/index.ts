/**
 * What the tests through the front door are made of: an upstream that plays a script, a running Toolroll, requests, and
 * readers of what the app gets.
 *
 * A test reads: `const upstream = await startScript([hop1, hop2])`, `const toolroll = await startWith({ upstream })`,
 * `const answer = await ask(toolroll, turn())`, then it looks at `answer` and at `upstream.requests`.
 */
export { ask, openTurn } from './ask.ts';
export type { Answered, OpenTurn, Sent } from './ask.ts';
export { closing } from './closing.ts';
export { eventsOf, outputOf, terminalOf, textOf } from './events.ts';
export type { SentEvent } from './events.ts';
export { gate } from './gate.ts';
export type { Gate } from './gate.ts';
export { field, items } from './json.ts';
export type { Json } from './json.ts';
export { cut, hang, json, reset, sse, startScript } from './scripted-upstream.ts';
export type { Answer, Received, ScriptedUpstream, Step } from './scripted-upstream.ts';
export { startWith, twoHops } from './toolroll.ts';
export type { RunningToolroll, ToolrollSetup } from './toolroll.ts';
export { tool, tools, turn } from './turn.ts';
export { call, message, reasoning, response, restyle, stream, usage } from './wire.ts';
export type { ResponseParts, StreamParts, Style } from './wire.ts';
