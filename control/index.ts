export { createControlApp } from './app.ts';
export type {
  ControlDependencies,
  ControlLog,
  ControlSettings,
  ControlTelemetry,
  PreviewInput,
  PreviewPlan,
  PreviewResult,
  PreviewTurn,
  ReloadReport,
  RuleFile,
  RulesService,
  RulesView,
  WriteReport,
} from './dependencies.ts';
export { listenControl } from './listen.ts';
export type { ControlListener } from './listen.ts';
export { createRulesService } from './rules-service.ts';
export type { RulesStore } from './rules-service.ts';
