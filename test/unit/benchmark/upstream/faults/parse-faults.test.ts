import { Faults, parseFaults } from '../../../../../benchmark/upstream/faults/parse-faults.ts';

test('several faults with their values are read, percent-decoded', () => {
  const faults = new Faults(parseFaults('cut;event=7;end=eof, text_first;text=one%2C%20two%3B'), {
    hop: 2,
    round: 1,
  });
  expect(faults.number('cut', 'event', 4)).toBe(7);
  expect(faults.value('cut', 'end', 'reset')).toBe('eof');
  expect(faults.value('text_first', 'text', '')).toBe('one, two;');
  expect(faults.value('rate_limit', 'retry_after', '30')).toBeUndefined();
});

test.each(['nonsense', 'cut;evnt=3', 'delay;ms'])(
  '%s is refused, so that no test asks for nothing',
  (spec) => {
    expect(() => parseFaults(spec)).toThrow(/Unknown fault|has no key/);
  },
);

test('a fault for one hop or round does not strike another', () => {
  const given = parseFaults('wrong_picks;hop=1;round=1');
  expect(new Faults(given, { hop: 1, round: 1 }).has('wrong_picks')).toBe(true);
  expect(new Faults(given, { hop: 1, round: 2 }).none).toBe(true);
  expect(new Faults(given, { hop: 2, round: 1 }).none).toBe(true);
});
