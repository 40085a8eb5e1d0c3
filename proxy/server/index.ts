export { bind } from './bind.ts';
export { listenProxy } from './listen.ts';
export type { ProxyListener } from './listen.ts';
export { createPassthrough } from './passthrough.ts';
export type { Passthrough } from './passthrough.ts';
export { previewTurn } from './preview.ts';
export type { Preview } from './preview.ts';
export { createProxyApp } from './proxy-app.ts';
export type { TurnServices, TurnSettings } from './turn-route.ts';
