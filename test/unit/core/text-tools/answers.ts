/** What an answer is to each format: texts as they are, calls as name and arguments. */
export interface Answer {
  readonly about: string;
  readonly text: string;
  readonly xml: readonly (string | readonly string[])[];
  readonly json: readonly (string | readonly string[])[];
  readonly any: readonly (string | readonly string[])[];
}

type Read = Answer['xml'];

/** An answer that is text, but for the formats that are named. */
function answer(
  about: string,
  text: string,
  read: Partial<Record<'xml' | 'json' | 'any', Read>> = {},
): Answer {
  const plain = text === '' ? [] : [text];
  return { about, text, xml: read.xml ?? plain, json: read.json ?? plain, any: read.any ?? plain };
}

function tagged(about: string, text: string, read: Read): Answer {
  return answer(about, text, { xml: read, any: read });
}

function bare(about: string, text: string, read: Read): Answer {
  return answer(about, text, { json: read, any: read });
}

const CALL = '{"name":"get_w","arguments":{"city":"Rome"}}';
const READ = ['get_w', '{"city":"Rome"}'];
const TAGGED = `<tool_call>${CALL}</tool_call>`;

/** Answers made by hand, each of a kind. */
export const ANSWERS: readonly Answer[] = [
  answer('nothing', ''),
  answer('plain text', 'It is sunny in Rome, 30 °C. 北京 😀 < > <b>bold</b>'),
  answer('white space alone', ' \n\n\t '),
  tagged('a call alone', TAGGED, [READ]),
  tagged('a call with text around it', `Let me look.\n${TAGGED}\nOne moment.`, [
    'Let me look.\n',
    READ,
    '\nOne moment.',
  ]),
  tagged('several calls, white space between them', `\n${TAGGED}\n \n${TAGGED}${TAGGED}\n`, [
    READ,
    READ,
    READ,
  ]),
  answer('white space inside the tags', `<tool_call>\n  ${CALL}\n</tool_call>`, {
    xml: [READ],
    json: ['<tool_call>\n  ', READ, '\n</tool_call>'],
    any: [READ],
  }),
  tagged('an array of calls inside the tags', `<tool_call>[${CALL},${CALL}]</tool_call>`, [READ, READ]),
  tagged(
    'D1: the last braces and the end tag',
    '<tool_call>{"name":"get","arguments":{"id":42}}\n</tool_call>',
    [['get', '{"id":42}']],
  ),
  tagged(
    'D1: true, null and nested arrays at the end',
    '<tool_call>{"name":"a","arguments":{"x":true,"y":null,"z":[[1],[2,[3]]]}}</tool_call>',
    [['a', '{"x":true,"y":null,"z":[[1],[2,[3]]]}']],
  ),
  tagged('D2: empty arguments', '<tool_call>{"name":"now","arguments":{}}</tool_call>', [['now', '{}']]),
  tagged('D2: no arguments', '<tool_call>{"name":"now"}</tool_call>', [['now', '{}']]),
  tagged('D2: arguments that are null', '<tool_call>{"name":"now","arguments":null}</tool_call>', [
    ['now', '{}'],
  ]),
  bare('D4a: a bare object is a call only where JSON is read', CALL, [READ]),
  answer('D4b: a tagged call in a fence stays text', `Like this:\n\`\`\`\n${TAGGED}\n\`\`\`\nDone.`),
  answer('D4b: in a fence with a language', `\`\`\`xml\n${TAGGED}\n\`\`\``),
  answer('D4b: in a fence of tildes', `~~~\n${TAGGED}\n~~~\n`),
  answer(
    'D4b: in a longer fence with a fence in it',
    `\`\`\`\`md\n\`\`\`\n${TAGGED}\n\`\`\`\n${TAGGED}\n\`\`\`\`\nx`,
  ),
  answer(
    'D4b: in code inside a line',
    `Write \`${TAGGED}\` or \`\`a ${TAGGED}\`\` or \`\`\`${TAGGED}\`\`\`.`,
  ),
  tagged('a call after a fence', `\`\`\`py\nx = 1\n\`\`\`\n${TAGGED}`, ['```py\nx = 1\n```\n', READ]),
  tagged('a call on the line after an open backtick', `A \` alone\n${TAGGED}`, ['A ` alone\n', READ]),
  tagged('a call after code inside the line', `Use \`x\` ${TAGGED}`, ['Use `x` ', READ]),
  tagged(
    'D6a: a raw line end, a tab and a control character in a string',
    '<tool_call>{"name":"e","arguments":{"t":"a\nb\tc\u0001"}}</tool_call>',
    [['e', '{"t":"a\\nb\\tc\\u0001"}']],
  ),
  answer(
    'D6b: quotes in a string that nothing escapes',
    '<tool_call>{"name":"e","arguments":{"t":"He said "hi""}}</tool_call>',
  ),
  tagged(
    'D7a: valid JSON with an apostrophe',
    `<tool_call>{"name":"s","arguments":{"q":"what's up"}}</tool_call>`,
    [['s', `{"q":"what's up"}`]],
  ),
  tagged(
    'D7b: what Python writes',
    `<tool_call>{'name':'s','arguments':{'q':'it','deep':True,'no':False,'x':None,'r':"it's",'s':'a \\'b\\' "c"'}}</tool_call>`,
    [['s', `{"q":"it","deep":true,"no":false,"x":null,"r":"it's","s":"a 'b' \\"c\\""}`]],
  ),
  answer(
    'D7b: single quotes that could mean two things',
    `<tool_call>{'name':'s','arguments':{'q':'what's up'}}</tool_call>`,
  ),
  tagged('a comma that trails', '<tool_call>{"name":"s","arguments":{"a":[1,2,],"b":"x,}",},}</tool_call>', [
    ['s', '{"a":[1,2],"b":"x,}"}'],
  ]),
  tagged(
    'numbers as they were written',
    '<tool_call>{"name":"s","arguments":{"a":1.0,"b":12345678901234567890, "c" : 1e3}}</tool_call>',
    [['s', '{"a":1.0,"b":12345678901234567890, "c" : 1e3}']],
  ),
  answer('D9: a call that the answer ends in', 'ok <tool_call>{"name":"w","arguments":{"t":"abc'),
  answer('D9: a call that only lacks its end tag', 'ok <tool_call>{"name":"w","arguments":{"t":"abc"}}'),
  answer('an answer that ends in a tag', 'ok <tool_ca'),
  tagged(
    'an end tag in a string',
    '<tool_call>{"name":"e","arguments":{"t":"a</tool_call>b\\"<tool_call>"}}</tool_call>',
    [['e', '{"t":"a</tool_call>b\\"<tool_call>"}']],
  ),
  tagged(
    'a call after one with a string that never ends',
    `<tool_call>{"name":"e","arguments":{"t":"x}}</tool_call>\n${TAGGED}`,
    ['<tool_call>{"name":"e","arguments":{"t":"x}}</tool_call>\n', READ],
  ),
  answer('a call in a language of its own', '<tool_call>get_w(city="Rome")</tool_call>'),
  tagged('look-alikes', `<tool_call <tool_calls> <tool_cal<tool_call>${CALL}</tool_call>`, [
    '<tool_call <tool_calls> <tool_cal',
    READ,
  ]),
  tagged(
    'a call after thinking',
    `<think>\nI could <tool_call>{"name":"x"}</tool_call> it.</think>\n${TAGGED}`,
    ['<think>\nI could <tool_call>{"name":"x"}</tool_call> it.</think>\n', READ],
  ),
  answer('a call in thinking that never ends', `<think>hm ${TAGGED}\n\n${CALL}`),
  bare('JSON in a fence', `Sure:\n\n\`\`\`json\n${CALL}\n\`\`\`\nDone.`, ['Sure:\n\n', READ, '\nDone.']),
  bare('JSON in a fence of no language, several in one', `\`\`\`\n${CALL}\n\n${CALL}\n\`\`\``, [READ, READ]),
  bare(
    'an array of calls with parameters',
    `[{"name":"a","parameters":{}},\n {"name":"b","parameters":{"x":1.0}}]`,
    [
      ['a', '{}'],
      ['b', '{"x":1.0}'],
    ],
  ),
  bare('objects that follow each other', `${CALL}\n${CALL} ${CALL}`, [READ, READ, READ]),
  bare('pretty JSON', '{\n  "name": "a",\n  "arguments": {\n    "x": [1, 2]\n  }\n}\n', [
    ['a', '{\n    "x": [1, 2]\n  }'],
  ]),
  answer('JSON in the middle of a line', `I would send ${CALL} to it.`),
  answer(
    'JSON that is no call',
    '{"name":"Bob","age":3}\n[1,2,3]\n```json\n{"a":[{"name":"x","arguments":{}}]}\n```\n{"name":1,"arguments":{}}',
  ),
  answer('JSON in a fence of another language', `\`\`\`python\n${CALL}\n\`\`\``),
  answer('JSON that breaks off', `[\n${CALL},\n${CALL.slice(0, -9)}`),
  answer('JSON that is broken, with calls in it', `[\n${CALL} oops,\n${CALL}\n]`),
  bare('a call after broken JSON', `{"a": oops\n\n${CALL}`, ['{"a": oops\n\n', READ]),
  answer('both kinds of call', `${TAGGED}\n${CALL}`, {
    xml: [READ, `\n${CALL}`],
    json: [`${TAGGED}\n`, READ],
    any: [READ, READ],
  }),
];
