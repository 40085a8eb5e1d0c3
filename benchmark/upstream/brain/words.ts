/** From text to the words that carry its meaning. */

const stopWords = new Set(
  (
    'a an the this that these those is are was were be been am do does did can could will would shall should may ' +
    'might must i me my we us our you your he she it its they them their his her to of in on at by for from with ' +
    'about as into over under up down out off and or but if then so than too very just please what which who whom ' +
    'whose when where why how much many any some all each both few more most no not only same other there here ' +
    'have has had get give show tell let need want like know see make take use using one two also now new between ' +
    'return returns optional given s t re ve ll d m don per via e g etc hello hi thanks name value string whether ' +
    'first last next time ask say go put into'
  ).split(' '),
);

/**
 * Words that many tools share: they rank, but one of them alone is no reason to call a tool.
 */
const weakWords = new Set(
  'search find list create add update set delete remove send read write open fetch look check start run change user data item number id text file'
    .split(' ')
    .map((word) => stem(word)),
);

/** Everyday words and the word a tool's name would use for them; a model knows these without being told. */
const everyday: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    rain: ['weather'],
    sunny: ['weather'],
    umbrella: ['weather'],
    temperature: ['weather'],
    forecast: ['weather'],
    mail: ['email'],
    appointment: ['calendar', 'event'],
    meeting: ['calendar', 'event'],
    schedule: ['calendar', 'event'],
    fly: ['flight'],
    plane: ['flight'],
    stay: ['hotel'],
    table: ['restaurant'],
    dinner: ['restaurant'],
    lunch: ['restaurant'],
    cab: ['ride', 'taxi'],
    money: ['payment', 'transfer'],
    pay: ['payment'],
    wire: ['transfer'],
    bill: ['invoice'],
    exchange: ['currency', 'convert'],
    usd: ['currency', 'convert'],
    eur: ['currency', 'convert'],
    gbp: ['currency', 'convert'],
    jpy: ['currency', 'convert'],
    dollar: ['currency', 'convert'],
    euro: ['currency', 'convert'],
    bug: ['issue'],
    pr: ['pull', 'request'],
    share: ['stock'],
    headline: ['news'],
    song: ['music'],
    track: ['shipment', 'track', 'music'],
    parcel: ['shipment'],
    package: ['shipment'],
    remind: ['reminder'],
    todo: ['task'],
    translation: ['translate'],
    sum: ['calculate'],
    picture: ['image'],
    photo: ['image'],
    remember: ['note'],
    drive: ['route', 'direction'],
    sms: ['message', 'text'],
    turn: ['switch'],
    lamp: ['light'],
    dim: ['light'],
    warm: ['thermostat'],
    heating: ['thermostat'],
    cook: ['recipe'],
    vacation: ['leave'],
    deploy: ['deployment'],
    rollback: ['deployment'],
    outage: ['incident'],
    salary: ['payroll'],
    refund: ['refund'],
    query: ['sql'],
    summarise: ['summarize'],
  }).map(([word, others]) => [stem(word), others.map((other) => stem(other))]),
);

/** Cuts the commonest English endings, so that `emails`, `emailed` and `emailing` meet. */
export function stem(word: string): string {
  if (word.length <= 3 || /[^a-z]/.test(word)) return word;
  let cut = word;
  if (cut.endsWith('ies') && cut.length > 4) cut = `${cut.slice(0, -3)}y`;
  else if (/(?:ss|x|ch|sh|zz)es$/.test(cut)) cut = cut.slice(0, -2);
  else if (cut.endsWith('s') && !/(?:ss|us|is)$/.test(cut)) cut = cut.slice(0, -1);
  if (cut.endsWith('ing') && cut.length > 5) cut = undouble(cut.slice(0, -3));
  else if (cut.endsWith('ed') && cut.length > 4) cut = undouble(cut.slice(0, -2));
  return cut.endsWith('e') && cut.length > 4 ? cut.slice(0, -1) : cut;
}

function undouble(word: string): string {
  return /([bdgmnprt])\1$/.test(word) ? word.slice(0, -1) : word;
}

/** Splits text, identifiers included (`get_weather`, `mail.sendNow`), into stemmed words without stop words. */
export function wordsOf(text: string): readonly string[] {
  const spaced = text
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .normalize('NFC')
    .toLowerCase();
  const words: string[] = [];
  for (const match of spaced.matchAll(/[\p{L}\p{N}]+/gu)) {
    const word = match[0];
    if (/[\u3400-\u9fff\u3040-\u30ff]/.test(word)) words.push(...pairsOf(word));
    else if (!stopWords.has(word)) words.push(stem(word));
  }
  return words;
}

/** Languages without spaces: every two neighbouring characters are a word. */
function pairsOf(run: string): readonly string[] {
  const characters = Array.from(run);
  if (characters.length < 2) return characters;
  return characters.slice(1).map((character, at) => `${characters[at] ?? ''}${character}`);
}

/** The words of a question and, at less weight, the words a tool's name would use for them. */
export function questionWords(text: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  const add = (word: string, weight: number): void => {
    weights.set(word, Math.max(weight, weights.get(word) ?? 0));
  };
  for (const word of wordsOf(text)) {
    add(word, 1);
    for (const other of everyday.get(word) ?? []) add(other, 0.8);
  }
  return weights;
}

/** True for words that are no reason to call a tool on their own. */
export function isWeak(word: string): boolean {
  return weakWords.has(word) || /^\d+$/.test(word);
}
