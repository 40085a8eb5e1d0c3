/** What stands next in a value that is being read. */
type Expected = 'root' | 'value' | 'element' | 'key' | 'colon' | 'comma';

const QUOTE = 0x22;
const APOSTROPHE = 0x27;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

const SPACE = /[ \t\r\n]*/y;
const SCALAR_PART = /[A-Za-z0-9+\-.]*/y;
const IN_QUOTES = /["\\]/g;
const IN_APOSTROPHES = /['\\]/g;
const SCALAR = /^(?:true|false|null|True|False|None|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/;

/**
 * Follows one object, or one array of objects, through a text that comes in pieces, and knows at once when it is whole and when
 * it can be none any more. Strings may hold raw control characters or stand in single quotes, a comma may trail, and
 * Python's words count: what of that is understood is for whoever reads the whole. No character is looked at twice.
 */
export class LooseJsonReader {
  readonly #closers: number[] = [];
  #expected: Expected = 'root';
  #isArray = false;
  #state: 'reading' | 'whole' | 'broken' = 'reading';
  /** The quote of the string that is open; 0 outside of one. */
  #quote = 0;
  #isEscaped = false;
  #scalar = '';

  get state(): 'reading' | 'whole' | 'broken' {
    return this.#state;
  }

  /** Reads on; gives where it stopped: behind the value, at what breaks it, or at the end of the text. */
  read(text: string, from: number): number {
    let at = from;
    while (at < text.length && this.#state === 'reading') {
      if (this.#quote !== 0) at = this.#inString(text, at);
      else if (this.#scalar !== '') at = this.#inScalar(text, at);
      else at = this.#next(text, at);
    }
    return at;
  }

  #inString(text: string, at: number): number {
    if (this.#isEscaped) {
      this.#isEscaped = false;
      return at + 1;
    }
    const stop = this.#quote === QUOTE ? IN_QUOTES : IN_APOSTROPHES;
    stop.lastIndex = at;
    const found = stop.exec(text);
    if (found === null) return text.length;
    if (text.charCodeAt(found.index) === BACKSLASH) this.#isEscaped = true;
    else {
      this.#quote = 0;
      this.#expected = this.#expected === 'key' ? 'colon' : 'comma';
    }
    return found.index + 1;
  }

  #inScalar(text: string, at: number): number {
    SCALAR_PART.lastIndex = at;
    const part = SCALAR_PART.exec(text)?.[0] ?? '';
    this.#scalar += part;
    const end = at + part.length;
    if (end === text.length) return end;
    if (!SCALAR.test(this.#scalar)) this.#state = 'broken';
    this.#scalar = '';
    this.#expected = 'comma';
    return end;
  }

  #next(text: string, from: number): number {
    SPACE.lastIndex = from;
    SPACE.exec(text);
    const at = Math.max(from, SPACE.lastIndex);
    if (at === text.length) return at;
    const code = text.charCodeAt(at);
    if (code === CLOSE_BRACE || code === CLOSE_BRACKET) return this.#close(code, at);
    switch (this.#expected) {
      case 'root':
        return code === OPEN_BRACE || code === OPEN_BRACKET ? this.#open(code, at) : this.#break(at);
      case 'value':
      case 'element':
        return this.#value(text, code, at);
      case 'key':
        if (code !== QUOTE && code !== APOSTROPHE) return this.#break(at);
        this.#quote = code;
        return at + 1;
      case 'colon':
        return code === COLON ? this.#expect('value', at) : this.#break(at);
      case 'comma':
        if (code !== COMMA) return this.#break(at);
        return this.#expect(this.#closers.at(-1) === CLOSE_BRACE ? 'key' : 'element', at);
      default:
        return this.#expected satisfies never;
    }
  }

  #value(text: string, code: number, at: number): number {
    if (code === OPEN_BRACE) return this.#open(code, at);
    // Calls come as an array of objects; another array need not be held until it ends.
    if (this.#isArray && this.#closers.length === 1) return this.#break(at);
    if (code === OPEN_BRACKET) return this.#open(code, at);
    if (code === QUOTE || code === APOSTROPHE) {
      this.#quote = code;
      return at + 1;
    }
    const end = this.#inScalar(text, at);
    return end === at ? this.#break(at) : end;
  }

  #open(code: number, at: number): number {
    if (this.#closers.length === 0) this.#isArray = code === OPEN_BRACKET;
    this.#closers.push(code === OPEN_BRACE ? CLOSE_BRACE : CLOSE_BRACKET);
    return this.#expect(code === OPEN_BRACE ? 'key' : 'element', at);
  }

  /** After a member or a comma; a comma that trails is mended later. */
  #close(code: number, at: number): number {
    const mayClose = this.#expected === 'comma' || this.#expected === 'key' || this.#expected === 'element';
    if (!mayClose || this.#closers.at(-1) !== code) return this.#break(at);
    this.#closers.pop();
    if (this.#closers.length === 0) this.#state = 'whole';
    return this.#expect('comma', at);
  }

  #expect(expected: Expected, at: number): number {
    this.#expected = expected;
    return at + 1;
  }

  #break(at: number): number {
    this.#state = 'broken';
    return at;
  }
}
