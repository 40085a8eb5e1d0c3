import { HopMachine } from '../../../../proxy/core/hops/index.ts';
import type { ItemVerdict, Next } from '../../../../proxy/core/hops/index.ts';
import { planTurn } from '../../../../proxy/core/plan/index.ts';
import type { SkillLoader } from '../../../../proxy/core/plan/index.ts';
import { responsesAdapter } from '../../../../proxy/core/protocols/index.ts';
import { compileRuleSet } from '../../../../proxy/core/rules/index.ts';
import type { AnswerItem, AnswerStatus } from '../../../../proxy/core/turn/index.ts';
import type { Selection } from '../../../../schemas/generated/ruleset.ts';
import { turn } from '../../../integration/support/turn.ts';

const reasoning: AnswerItem = { kind: 'reasoning' };
const message: AnswerItem = { kind: 'message' };
const hosted: AnswerItem = { kind: 'other' };

function call(name: string, args: unknown = {}): AnswerItem {
  const text = typeof args === 'string' ? args : JSON.stringify(args);
  return {
    kind: 'call',
    name,
    namespace: undefined,
    key: name,
    arguments: text,
    callId: `call_${name}`,
    custom: false,
  };
}

const pick = call('call_tool', { names: ['get_w'] });

interface Circumstances {
  readonly skillTool?: SkillLoader;
  readonly rejectionOf?: (callId: string) => string | undefined;
  readonly parallelToolCalls?: boolean;
  readonly isValidCall?: () => boolean;
}

function machineFor(
  selection: Selection = {},
  { parallelToolCalls = true, isValidCall = () => false, skillTool, ...others }: Circumstances = {},
) {
  const decoded = responsesAdapter.decodeRequest(JSON.stringify(turn()));
  if (decoded.kind !== 'turn') throw new TypeError('not a turn');
  const { ruleSet } = compileRuleSet({
    apiVersion: 'toolroll.dev/v1alpha1',
    kind: 'RuleSet',
    metadata: { name: 'test' },
    spec: {
      selection: { strategy: 'two_hop', minTools: 2, minToolTokens: 0, pinned: ['send_mail'], ...selection },
    },
  });
  const plan = planTurn(decoded.turn, ruleSet, skillTool);
  return new HopMachine({ plan, parallelToolCalls, isValidCall, ...others });
}

interface HopSeen {
  /** The verdict that each item ended with. */
  readonly verdicts: readonly (string | undefined)[];
  readonly next: Next;
}

/** Runs one hop: its items, each told of whole. */
function hop(machine: HopMachine, items: readonly AnswerItem[], status: AnswerStatus = 'completed'): HopSeen {
  const last = new Map<number, string>();
  const note = (verdicts: readonly ItemVerdict[]): void => {
    for (const { index, verdict } of verdicts) last.set(index, verdict);
  };
  items.forEach((item, index) => {
    note(machine.open(index, item));
    note(machine.close(index, item, JSON.stringify({ index })));
  });
  const { next, verdicts } = machine.end(status);
  note(verdicts);
  return { verdicts: items.map((_, index) => last.get(index)), next };
}

describe('what the app gets of a first hop', () => {
  const hide = 'hide';
  const show = 'show';

  it.each<[string, readonly AnswerItem[], readonly string[], Next['kind']]>([
    ['words alone', [message], [show], 'answer'],
    ['thinking alone', [reasoning], [show], 'answer'],
    ['thinking and words', [reasoning, message], [show, show], 'answer'],
    ['a pick', [pick], [hide], 'hop'],
    ['thinking and a pick', [reasoning, pick], [hide, hide], 'hop'],
    ['words before a pick', [message, pick], [show, hide], 'hop'],
    ['words after a pick', [pick, message], [hide, hide], 'hop'],
    ['a real call', [call('send_mail')], [show], 'answer'],
    [
      'a real call beside a pick, and its thinking',
      [reasoning, pick, call('send_mail')],
      [show, hide, show],
      'hop',
    ],
    ['a tool that was only named', [call('get_w')], [hide], 'hop'],
    ['a name that nobody offered', [call('nothing')], [hide], 'hop'],
    ['a hosted tool at work beside a pick', [hosted, pick], [show, hide], 'hop'],
    ['nothing', [], [], 'answer'],
  ])('%s', (_, items, verdicts, next) => {
    expect(hop(machineFor(), items)).toMatchObject({ verdicts, next: { kind: next } });
  });

  it.each<AnswerStatus>(['incomplete', 'failed'])('that ended %s: no pick of it is followed', (status) => {
    expect(hop(machineFor(), [message, pick], status)).toMatchObject({
      verdicts: [show, hide],
      next: { kind: 'answer' },
    });
  });

  it('thinking is held until it is known whose it is', () => {
    const machine = machineFor();

    expect(machine.open(0, reasoning)).toEqual([{ index: 0, verdict: 'hold' }]);
    expect(machine.open(1, message)).toEqual([
      { index: 0, verdict: 'show' },
      { index: 1, verdict: 'show' },
    ]);
    expect(machine.open(2, reasoning)).toEqual([{ index: 2, verdict: 'show' }]);
  });

  it('a call without a name is held until it has one', () => {
    const machine = machineFor();

    expect(machine.open(0, call(''))).toEqual([{ index: 0, verdict: 'hold' }]);
    expect(machine.close(0, pick, '{}')).toEqual([{ index: 0, verdict: 'hide' }]);
    expect(machine.open(1, call(''))).toEqual([{ index: 1, verdict: 'hold' }]);
    expect(machine.close(1, call('send_mail'), '{}')).toEqual([{ index: 1, verdict: 'show' }]);
  });

  it('an item that ends without having begun is judged all the same', () => {
    expect(machineFor().close(0, message, '{}')).toEqual([{ index: 0, verdict: 'show' }]);
  });
});

describe('what follows a hop', () => {
  it('a pick is followed by a hop that shows what was picked, and carries nothing', () => {
    const { next } = hop(machineFor(), [pick]);

    expect(next).toMatchObject({
      kind: 'hop',
      picks: ['get_w'],
      hop: { kind: 'answer', tools: 'revealed', revealed: new Set(['send_mail', 'get_w']), carried: [] },
    });
  });

  it('carry: picks takes each item along as it came, then an output for every call', () => {
    const { next } = hop(machineFor({ carry: 'picks' }), [reasoning, call('send_mail'), pick]);

    expect(
      next.kind === 'hop' &&
        next.hop.carried.map((item) => (item.kind === 'output' ? item.callId : item.text)),
    ).toEqual(['{"index":0}', '{"index":1}', '{"index":2}', 'call_send_mail', 'call_call_tool']);
  });

  it('a round of unknown picks carries what the round before carried, too', () => {
    const machine = machineFor();
    const bad = call('call_tool', { names: ['nothing'] });
    hop(machine, [bad]);
    const { next } = hop(machine, [bad]);

    expect(next.kind === 'hop' && next.hop).toMatchObject({ kind: 'reselect' });
    expect(next.kind === 'hop' && next.hop.carried).toHaveLength(4);
  });

  it.each([1, 2, 5])('at most %i rounds of unknown picks', (maxRounds) => {
    const machine = machineFor({ maxRounds });
    const bad = call('call_tool', { names: ['nothing'] });
    const kinds: string[] = [];
    for (let round = 0; round < maxRounds; round += 1) {
      const { next } = hop(machine, [bad]);
      kinds.push(next.kind === 'hop' ? next.hop.kind : next.kind);
    }

    expect(kinds).toEqual([...Array.from({ length: maxRounds - 1 }, () => 'reselect'), 'fallback']);
  });

  it('no more than maxRounds reveals, one after the other', () => {
    const machine = machineFor({ maxRounds: 2 });
    const kinds = ['get_w', 'find_file', 'add_event'].map((name) => {
      const { next } = hop(machine, [call('call_tool', { names: [name] })]);
      return next.kind === 'hop' ? next.hop.kind : next.kind;
    });

    expect(kinds).toEqual(['answer', 'answer', 'fallback']);
  });

  it('a fallback that picks again, and says nothing else, is refused', () => {
    const machine = machineFor();
    hop(machine, [call('nothing')]);

    expect(hop(machine, [pick]).next).toMatchObject({ kind: 'refuse', code: 'selection_exhausted' });
  });

  it('a fallback that picks again beside an answer is the answer', () => {
    const machine = machineFor();
    hop(machine, [call('nothing')]);

    expect(hop(machine, [message, pick])).toMatchObject({
      verdicts: ['show', 'hide'],
      next: { kind: 'answer' },
    });
  });

  it('a real call and a pick, where the app wants one call at a time, are answered by the call', () => {
    const machine = machineFor({}, { parallelToolCalls: false });

    expect(hop(machine, [call('send_mail'), pick]).next).toEqual({ kind: 'answer' });
  });

  it('a hop that the upstream refused can be replaced by one with all tools', () => {
    const machine = machineFor();

    expect(machine.fallBack('reselect_refused')).toMatchObject({
      kind: 'fallback',
      carried: [],
      fallback: 'reselect_refused',
    });
    expect(hop(machine, [call('get_w')])).toMatchObject({ verdicts: ['show'], next: { kind: 'answer' } });
  });
});

describe('calls that an earlier hop kept', () => {
  it('are not given twice, whatever else the next hop says', () => {
    const machine = machineFor();
    hop(machine, [call('send_mail', { city: 'a' }), pick]);

    const seen = hop(machine, [
      call('send_mail', { city: 'a' }),
      call('send_mail', { city: 'b' }),
      call('get_w'),
    ]);

    expect(seen).toMatchObject({ verdicts: ['hide', 'show', 'show'], next: { kind: 'answer' } });
  });

  it('are held until their arguments are known', () => {
    const machine = machineFor();
    hop(machine, [call('send_mail', { city: 'a' }), pick]);

    expect(machine.open(0, call('send_mail', ''))).toEqual([{ index: 0, verdict: 'hold' }]);
    expect(machine.open(1, call('get_w', ''))).toEqual([{ index: 1, verdict: 'show' }]);
  });
});

describe('acceptUnseenCalls', () => {
  it.each([
    [true, 'show', 'answer'],
    [false, 'hide', 'hop'],
  ])('takes a call as the answer if its arguments are valid: %s', (isValid, verdict, next) => {
    const machine = machineFor({ acceptUnseenCalls: true }, { isValidCall: () => isValid });

    expect(machine.open(0, call('get_w', ''))).toEqual([{ index: 0, verdict: 'hold' }]);
    expect(machine.close(0, call('get_w'), '{}')).toEqual([{ index: 0, verdict }]);
    expect(machine.end('completed').next.kind).toBe(next);
  });

  it('gives no call that was cut off before its end', () => {
    const machine = machineFor({ acceptUnseenCalls: true }, { isValidCall: () => true });
    machine.open(0, call('get_w', ''));

    expect(machine.end('incomplete')).toEqual({
      next: { kind: 'answer' },
      verdicts: [{ index: 0, verdict: 'hide' }],
    });
  });
});

describe('skills', () => {
  const skillTool: SkillLoader = {
    definition: { name: 'Skill', description: 'Loads skills.', parameters: '{"type":"object"}' },
    resolve: (argumentsText) =>
      argumentsText.includes('nope')
        ? { kind: 'answer', text: 'There is no such skill.' }
        : { kind: 'load', names: [commandOf(argumentsText)] },
  };
  const skill = (command: string): AnswerItem => call('Skill', { command });
  const direct = (selection: Selection = {}): HopMachine =>
    machineFor({ strategy: 'off', ...selection }, { skillTool });

  it('that are asked for are loaded together in one more hop, and what was said before goes to the app', () => {
    const seen = hop(direct(), [reasoning, message, skill('a'), skill('b')]);
    expect(seen.verdicts).toEqual(['show', 'show', 'hide', 'hide']);
    expect(seen.next).toMatchObject({ kind: 'hop', hop: { kind: 'skill', skills: ['a', 'b'], carried: [] } });
  });

  it('leave a real call that comes after them to be decided again', () => {
    const seen = hop(direct(), [skill('a'), call('send_mail')]);
    expect(seen.verdicts).toEqual(['hide', 'hide']);
    expect(seen.next).toMatchObject({ kind: 'hop', hop: { kind: 'skill', skills: ['a'] } });
  });

  it('are not loaded where the app was called first: the turn is its own, but for our tool', () => {
    const seen = hop(direct(), [call('send_mail'), skill('a')]);
    expect(seen.verdicts).toEqual(['show', 'hide']);
    expect(seen.next).toEqual({ kind: 'answer' });
  });

  it('and picks that are asked for at once are followed in one hop', () => {
    const machine = machineFor({}, { skillTool });
    const seen = hop(machine, [pick, skill('a')]);
    expect(seen.next).toMatchObject({
      kind: 'hop',
      picks: ['get_w'],
      hop: { kind: 'skill', tools: 'revealed', revealed: new Set(['send_mail', 'get_w']), skills: ['a'] },
    });
    expect(hop(machine, [call('get_w')]).next).toEqual({ kind: 'answer' });
  });

  it('that are loaded while the menu is shown leave the menu where it was', () => {
    const machine = machineFor({}, { skillTool });
    expect(hop(machine, [skill('a')]).next).toMatchObject({
      hop: { kind: 'skill', tools: 'menu', skills: ['a'] },
    });
    expect(hop(machine, [pick]).next).toMatchObject({
      hop: { kind: 'answer', tools: 'revealed', skills: ['a'] },
    });
  });

  it('that do not exist are answered, and asked for again and again they are no longer offered', () => {
    const machine = direct({ maxRounds: 2 });
    const first = hop(machine, [skill('nope')]).next;
    expect(first).toMatchObject({
      hop: {
        kind: 'skill',
        skills: [],
        skillTool: 'offered',
        carried: [
          { kind: 'item' },
          { kind: 'output', callId: 'call_Skill', text: 'There is no such skill.' },
        ],
      },
    });
    expect(hop(machine, [skill('nope')]).next).toMatchObject({ hop: { skillTool: 'offered' } });
    expect(hop(machine, [skill('nope')]).next).toMatchObject({ hop: { skillTool: 'withdrawn' } });
  });

  it('are not asked for twice: the tool goes away', () => {
    const machine = direct();
    hop(machine, [skill('a')]);
    expect(hop(machine, [skill('a')]).next).toMatchObject({ hop: { skills: ['a'], skillTool: 'withdrawn' } });
  });

  it('come to an end where they are asked for although they are offered no more', () => {
    const machine = direct();
    hop(machine, [skill('a')]);
    hop(machine, [skill('a')]);

    expect(hop(machine, [skill('a')]).next).toMatchObject({ kind: 'refuse', code: 'selection_exhausted' });
  });

  it('let thinking wait until one is loaded', () => {
    const machine = direct();

    expect(machine.open(0, reasoning)).toEqual([{ index: 0, verdict: 'hold' }]);
    machine.close(0, reasoning, '{}');
    machine.open(1, skill('a'));
    machine.close(1, skill('a'), '{}');
    expect(machine.end('completed').verdicts).toEqual([{ index: 0, verdict: 'hide' }]);
    expect(machine.open(0, reasoning)).toEqual([{ index: 0, verdict: 'show' }]);
  });

  it('stay out of an answer that was cut off', () => {
    expect(hop(direct(), [message, skill('a')], 'incomplete')).toEqual({
      verdicts: ['show', 'hide'],
      next: { kind: 'answer' },
    });
  });
});

describe('calls that were written as text and cannot run', () => {
  const rejecting = (selection: Selection = {}): HopMachine =>
    machineFor(
      { strategy: 'off', ...selection },
      { rejectionOf: (callId) => (callId === 'call_bad' ? 'No such tool.' : undefined) },
    );

  it('stay inside, and the model is told why and asked again', () => {
    const seen = hop(rejecting(), [message, call('bad')]);
    expect(seen.verdicts).toEqual(['show', 'hide']);
    expect(seen.next).toMatchObject({
      hop: {
        kind: 'retry',
        attempt: 'more_follow',
        carried: [
          { kind: 'item' },
          { kind: 'item' },
          { kind: 'output', callId: 'call_bad', text: 'No such tool.' },
        ],
      },
    });
  });

  it('are asked for once more as the last time, with two rounds', () => {
    expect(hop(rejecting({ maxRounds: 2 }), [call('bad')]).next).toMatchObject({ hop: { attempt: 'last' } });
    expect(rejecting({ maxRounds: 1 }).hop.attempt).toBe('last');
  });

  it('leave a good call beside them to the app, which does not get it twice', () => {
    const machine = rejecting();
    expect(hop(machine, [call('send_mail'), call('bad')]).verdicts).toEqual(['show', 'hide']);
    expect(hop(machine, [call('send_mail')])).toEqual({ verdicts: ['hide'], next: { kind: 'answer' } });
  });
});

function commandOf(argumentsText: string): string {
  return /"command":"(\w+)"/.exec(argumentsText)?.[1] ?? '';
}
