import { readValues } from '../../../../../benchmark/upstream/brain/read-values.ts';

test('values of every kind are read out of a sentence', () => {
  const values = readValues(
    'Fly from Berlin to New York tomorrow at 7:30 pm, mail bob@x.org about ORD-12, 1,250 EUR, see https://x.org/a. "Hi there"',
  );
  expect(values).toMatchObject({
    from: 'Berlin',
    to: 'New York',
    dates: ['2026-12-02'],
    times: ['19:30'],
    emails: ['bob@x.org'],
    ids: ['ORD-12'],
    urls: ['https://x.org/a'],
    quoted: ['Hi there'],
  });
  expect(values.numbers).toContain(1250);
  expect(values.codes).toContain('EUR');
});

test.each([
  ['on Monday', '2026-12-07'],
  ['on December 24', '2026-12-24'],
  ['on 3 May', '2026-05-03'],
  ['today', '2026-12-01'],
  ['yesterday', '2026-11-30'],
])('%s is a day', (text, day) => {
  expect(readValues(text).dates).toEqual([day]);
});

test('midnight and noon are read as clocks say them', () => {
  expect(readValues('12am 12pm 1am 11:05').times).toEqual(['00:00', '12:00', '01:00', '11:05']);
});
