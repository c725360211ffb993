// V.42bis, the compression of the modems of the 1990s (ITU-T, January 1990), as the coder of one direction. A codeword
// stands for the longest string of characters that both modems know. Behind it the string with the next character is
// learned; when the dictionary is full, the oldest string with which no other begins is forgotten. Data that do not get
// shorter go as they are, in the transparent mode, while the dictionary still learns; the Recommendation leaves it to
// the modem when to change the mode.

export interface V42bisParameters {
  /** Codewords in the dictionary (N2, P1). */
  codewords: number;
  /** Characters of the longest string (N7, P2). */
  longest: number;
}

/** What modems of 28.8 kbit/s agreed on. */
export const usualParameters: V42bisParameters = { codewords: 2048, longest: 32 };
/** What holds when the modems agree on nothing else. */
export const leastParameters: V42bisParameters = { codewords: 512, longest: 6 };

/** Codewords of the compressed mode that stand for no string. */
const control = { enterTransparent: 0, flush: 1, stepUp: 2 } as const;
/** Commands of the transparent mode, behind the escape character. */
const command = { enterCompressed: 0, escapeInData: 1 } as const;
/** The codeword of a single character is the character and this (N6). */
const controls = 3;
/** The first codeword of a longer string (N5). */
const firstString = controls + 256;
/** The escape character moves on by this much at each of its occurrences. */
const escapeStep = 51;
/** Characters after which the coder decides whether to compress. */
const judgedCharacters = 256;

/** The strings that one modem knows; its partner's dictionary learns the same ones. */
class V42bisDictionary {
  readonly #codewords: number;
  /** The codeword of a longer string, by `codeword * 256 + character`. */
  readonly #longer = new Map<number, number>();
  readonly #keys: number[] = [];
  /** How many strings begin with a string and are one character longer, by its codeword. */
  readonly #followers: Uint16Array;
  /** Codeword of the next new string (C1). */
  #free = firstString;

  constructor(codewords: number) {
    this.#codewords = codewords;
    this.#followers = new Uint16Array(codewords);
  }

  /** Returns the codeword of a known string with one more character; 0: unknown. */
  longer(codeword: number, character: number): number {
    if (codeword === 0) return character + controls;
    return this.#longer.get(codeword * 256 + character) ?? 0;
  }

  /** Learns a string with one more character. Returns its codeword; 0: it was known. */
  learn(codeword: number, character: number): number {
    const key = codeword * 256 + character;
    if (this.#longer.has(key)) return 0;
    const learned = this.#free;
    this.#longer.set(key, learned);
    this.#keys[learned] = key;
    this.#count(key, 1);
    do {
      if (++this.#free === this.#codewords) this.#free = firstString;
    } while (this.#followers[this.#free] !== 0);
    const forgotten = this.#keys[this.#free];
    if (forgotten !== undefined) {
      this.#longer.delete(forgotten);
      this.#count(forgotten, -1);
    }
    return learned;
  }

  #count(key: number, change: number): void {
    const shorter = key >> 8;
    this.#followers[shorter] = (this.#followers[shorter] as number) + change;
  }
}

export class V42bisCoder {
  readonly #dictionary: V42bisDictionary;
  readonly #longest: number;
  /** Bits of a codeword (C2), and the first codeword that needs more (C3). */
  #bits = 9;
  #tooLarge = 512;
  /** Codeword and characters of the string that is being matched; 0: none. */
  #matched = 0;
  #length = 0;
  /** The string that a flush ended: it is learned with the character that comes next. */
  #flushed = 0;
  /** The string learned last, which the other modem cannot know yet. */
  #newest = 0;
  #escape = 0;
  #isTransparent = true;
  /** Since the mode was last decided: characters, and bits of their codewords. */
  #judged = { characters: 0, bits: 0 };
  #sent: number[] = [];
  #pending = 0;
  #pendingBits = 0;

  constructor({ codewords, longest }: V42bisParameters) {
    this.#dictionary = new V42bisDictionary(codewords);
    this.#longest = longest;
  }

  /** Returns what the modem sends for the characters, all of them: it flushes. */
  code(characters: Uint8Array): Buffer {
    for (const character of characters) this.#read(character);
    this.#flush();
    const sent = Buffer.from(this.#sent);
    this.#sent = [];
    return sent;
  }

  #read(character: number): void {
    if (this.#flushed !== 0) this.#learn(this.#flushed, character);
    this.#flushed = 0;
    const longer = this.#dictionary.longer(this.#matched, character);
    if (longer !== 0 && longer !== this.#newest) {
      this.#matched = longer;
    } else {
      const ended = this.#matched;
      this.#end();
      if (longer === 0) this.#learn(ended, character);
      else this.#newest = 0;
      this.#matched = character + controls;
    }
    this.#length++;
    if (this.#isTransparent) this.#sent.push(character);
    if (character === this.#escape) {
      if (this.#isTransparent) this.#sent.push(command.escapeInData);
      this.#escape = (this.#escape + escapeStep) & 255;
    }
    if (this.#length === this.#longest) this.#end();
  }

  #learn(codeword: number, character: number): void {
    this.#newest = this.#dictionary.learn(codeword, character) || this.#newest;
  }

  /** The string has ended: its codeword is sent, and the mode may change. */
  #end(): void {
    this.#judged.characters += this.#length;
    this.#judged.bits += Math.max(this.#bits, 32 - Math.clz32(this.#matched));
    if (!this.#isTransparent) this.#send(this.#matched);
    this.#matched = 0;
    this.#length = 0;
    const { characters, bits } = this.#judged;
    if (characters < judgedCharacters) return;
    this.#judged = { characters: 0, bits: 0 };
    const isShorter = bits < 8 * characters;
    if (this.#isTransparent && isShorter) {
      this.#sent.push(this.#escape, command.enterCompressed);
      this.#isTransparent = false;
    } else if (!this.#isTransparent && !isShorter) {
      this.#put(control.enterTransparent);
      this.#align();
      this.#newest = 0;
      this.#isTransparent = true;
    }
  }

  #flush(): void {
    if (this.#isTransparent) return;
    if (this.#matched !== 0) {
      this.#judged.characters += this.#length;
      this.#judged.bits += this.#bits;
      this.#send(this.#matched);
      this.#flushed = this.#matched;
      this.#matched = 0;
      this.#length = 0;
    }
    if (this.#pendingBits === 0) return;
    this.#put(control.flush);
    this.#align();
  }

  #send(codeword: number): void {
    for (; codeword >= this.#tooLarge; this.#tooLarge *= 2) {
      this.#put(control.stepUp);
      this.#bits++;
    }
    this.#put(codeword);
  }

  #put(codeword: number): void {
    this.#pending |= codeword << this.#pendingBits;
    this.#pendingBits += this.#bits;
    for (; this.#pendingBits >= 8; this.#pendingBits -= 8) {
      this.#sent.push(this.#pending & 255);
      this.#pending >>= 8;
    }
  }

  #align(): void {
    if (this.#pendingBits > 0) this.#sent.push(this.#pending);
    this.#pending = 0;
    this.#pendingBits = 0;
  }
}
