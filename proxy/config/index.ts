export type { Fault } from './fault.ts';
export { loadOptions, withoutSecrets } from './options.ts';
export type { LoadedOptions, OptionFault, OptionSources, PublicOptions } from './options.ts';
export { describeOptions } from './option-table.ts';
export type { OptionDescription } from './option-table.ts';
export { parseListen } from './listen.ts';
export type { ListenAddress } from './listen.ts';
export { compileText, validateText } from './parse-rules.ts';
export type { CompiledText } from './parse-rules.ts';
export { loadFiles } from './load-files.ts';
export type { LoadedFile, LoadedRules, RuleFiles } from './load-files.ts';
export { loadDirectory } from './load-directory.ts';
export type { LoadedDirectory, SkillSettings } from './load-directory.ts';
export type { SkillFault } from './skill-fault.ts';
export { readDirectory } from './read-directory.ts';
export type { DirectoryContent } from './read-directory.ts';
export { ConfigStore } from './store.ts';
export type {
  ConfigLog,
  ConfigState,
  ConfigStoreSettings,
  Refusal,
  ReloadOutcome,
  Snapshot,
} from './store.ts';
export { watchConfig, watchDirectory } from './watch.ts';
export type { ConfigWatchSettings, DirectoryWatch, WatchSettings } from './watch.ts';
export { writeRuleFile } from './write-file.ts';
export type { WriteOutcome } from './write-file.ts';
