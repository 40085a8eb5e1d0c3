import { loadFiles, readDirectory, validateText, writeRuleFile } from '../proxy/config/index.ts';
import type { ConfigState, Fault, ReloadOutcome } from '../proxy/config/index.ts';
import type { ReloadReport, RulesService, RulesView, WriteReport } from './dependencies.ts';

/** The part of the configuration store that the control API uses. */
export interface RulesStore {
  current(): ConfigState;
  reload(): Promise<ReloadOutcome>;
}

/**
 * The rules directory as the control API sees it, over the store that serves turns and the loader's own checks, so
 * that what is called valid here is what loads.
 */
export function createRulesService(store: RulesStore, directory: string): RulesService {
  const view = (): RulesView => viewOf(store.current());
  const reload = async (): Promise<ReloadReport> => {
    const { kind, faults } = await store.reload();
    return { outcome: kind, revision: view().revision, faults };
  };
  // One writer at a time: each is checked against the directory as the one before it left it.
  let last: Promise<unknown> = Promise.resolve();
  return {
    view,
    reload,
    check: checkFile,
    write: (name, bytes) => {
      const write = last.then(() => checkAndWrite(name, bytes));
      last = write.catch(() => undefined);
      return write;
    },
  };

  async function checkAndWrite(name: string, bytes: Uint8Array): Promise<WriteReport> {
    const content = await readDirectory(directory);
    const { faults } = await loadFiles(new Map([...content.files, [name, bytes]]));
    const all = [...content.faults, ...faults];
    if (all.length > 0) return { kind: 'invalid', faults: all };
    const outcome = await writeRuleFile(directory, name, bytes);
    switch (outcome.kind) {
      case 'written':
        return { kind: 'written', reload: await reload() };
      case 'read_only':
        return outcome;
      case 'bad_name':
        return { kind: 'invalid', faults: [{ file: name, line: 1, pointer: '', message: outcome.reason }] };
      default:
        return outcome satisfies never;
    }
  }
}

function checkFile(name: string, bytes: Uint8Array): readonly Fault[] {
  const text = decodeUtf8(bytes);
  if (text !== undefined) return validateText(text, name).faults;
  return [{ file: name, line: 1, pointer: '', message: 'the file is not valid UTF-8' }];
}

function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

const noSkills = { skills: [], skillFaults: [] };

function viewOf(state: ConfigState): RulesView {
  switch (state.status) {
    case 'loading':
      return { status: 'loading', revision: null, loadedAt: null, files: [], faults: [], ...noSkills };
    case 'invalid':
      return {
        status: 'invalid',
        revision: null,
        loadedAt: null,
        files: [],
        faults: state.faults,
        ...noSkills,
      };
    case 'ready': {
      const { revision, loadedAt, files, skills, skillFaults } = state.snapshot;
      const names = [...skills.keys()];
      return {
        status: 'ready',
        revision,
        loadedAt,
        files,
        faults: state.lastFaults,
        skills: names,
        skillFaults,
      };
    }
    default:
      return state satisfies never;
  }
}
