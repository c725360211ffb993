// The usual line of clf and combined, read straight from bytes: each byte once, no text made. A line with
// anything unusual (an escape, a user name, a space in the target, another method, a control character)
// is refused, and read by the format's own parser, which gives the same for a line that both read (a test
// holds this). Two to three times the speed of the parser, for nine lines in ten.

import { dayNumber } from './log-time.ts';

const space = 0x20;
const quote = 0x22;
const backslash = 0x5c;
const dash = 0x2d;
const newline = 0x0a;
const zero = 0x30;
const maxDigits = 15;
const none = -1;

/** Where the fields of the line read last are, and what its numbers say. */
export class UsualLine {
  addressStart = 0;
  addressEnd = 0;
  targetStart = 0;
  targetEnd = 0;
  agentStart = 0;
  agentEnd = 0;
  method: 'GET' | 'HEAD' | 'POST' = 'GET';
  status = 0;
  bytes = 0;
  timeMs = 0;
  /** Where the next line begins. */
  next = 0;

  readonly #withAgent: boolean;

  /** @param withAgent combined, not clf */
  constructor(withAgent: boolean) {
    this.#withAgent = withAgent;
  }

  /** Reads the line at `start`; false when it is not a usual one. */
  read(line: Uint8Array, start: number): boolean {
    let at = this.#address(line, start);
    if (at === none) return false;
    at = this.#time(line, at);
    if (at === none) return false;
    at = this.#request(line, at);
    if (at === none) return false;
    at = this.#result(line, at);
    if (at !== none && this.#withAgent) at = this.#refererAndAgent(line, at);
    return at !== none && this.#end(line, at);
  }

  /** `192.0.2.1 - - [` */
  #address(line: Uint8Array, start: number): number {
    let at = start;
    // Printable ASCII: a byte order mark or another script is for the parser.
    for (let byte = line[at] ?? 0; byte > space && byte < 0x7f; byte = line[at] ?? 0) at++;
    if (at === start) return none;
    this.addressStart = start;
    this.addressEnd = at;
    const isUsual =
      line[at] === space &&
      line[at + 1] === dash &&
      line[at + 2] === space &&
      line[at + 3] === dash &&
      line[at + 4] === space &&
      line[at + 5] === 0x5b;
    return isUsual ? at + 6 : none;
  }

  /** `29/Aug/1995:23:53:25 -0400] "` */
  #time(line: Uint8Array, at: number): number {
    const isUsual =
      line[at + 2] === 0x2f &&
      line[at + 6] === 0x2f &&
      line[at + 11] === 0x3a &&
      line[at + 14] === 0x3a &&
      line[at + 17] === 0x3a &&
      line[at + 20] === space &&
      line[at + 26] === 0x5d &&
      line[at + 27] === space &&
      line[at + 28] === quote;
    const sign = line[at + 21];
    if (!isUsual || !(sign === 0x2b || sign === dash)) return none;
    const hour = twoDigits(line, at + 12);
    const minute = twoDigits(line, at + 15);
    const second = twoDigits(line, at + 18);
    const zoneHour = twoDigits(line, at + 22);
    const zoneMinute = twoDigits(line, at + 24);
    const century = twoDigits(line, at + 7);
    const year = twoDigits(line, at + 9);
    if (hour < 0 || minute < 0 || second < 0 || zoneHour < 0 || zoneMinute < 0) return none;
    if (hour > 23 || minute > 59 || second > 60 || century < 0 || year < 0) return none;
    const day = dayNumber(century * 100 + year, monthAt(line, at + 3), twoDigits(line, at));
    if (Number.isNaN(day)) return none;
    const zoneS = (zoneHour * 60 + zoneMinute) * 60;
    const timeS = hour * 3600 + minute * 60 + second;
    this.timeMs = day * 86_400_000 + (timeS - (sign === dash ? -zoneS : zoneS)) * 1000;
    return at + 29;
  }

  /** `GET /x HTTP/1.0" ` */
  #request(line: Uint8Array, start: number): number {
    let at = start;
    if (isWord(line, at, 0x47, 0x45, 0x54, space)) this.method = 'GET';
    else if (isWord(line, at, 0x48, 0x45, 0x41, 0x44)) this.method = 'HEAD';
    else if (isWord(line, at, 0x50, 0x4f, 0x53, 0x54)) this.method = 'POST';
    else return none;
    at += this.method.length;
    if (line[at] !== space) return none;
    at++;
    this.targetStart = at;
    for (let byte = line[at] ?? 0; byte > space; byte = line[at] ?? 0) {
      if (byte === quote || byte === backslash) return none;
      at++;
    }
    this.targetEnd = at;
    const isUsual =
      at > this.targetStart &&
      line[at] === space &&
      isWord(line, at + 1, 0x48, 0x54, 0x54, 0x50) &&
      line[at + 5] === 0x2f &&
      line[at + 7] === 0x2e &&
      isDigit(line[at + 6]) &&
      isDigit(line[at + 8]) &&
      line[at + 9] === quote &&
      line[at + 10] === space;
    return isUsual ? at + 11 : none;
  }

  /** `200 123` or `304 -` */
  #result(line: Uint8Array, start: number): number {
    const hundreds = (line[start] ?? 0) - zero;
    const rest = twoDigits(line, start + 1);
    if (!(hundreds >= 0 && hundreds <= 9) || rest < 0 || line[start + 3] !== space) return none;
    this.status = hundreds * 100 + rest;
    this.bytes = 0;
    let at = start + 4;
    if (line[at] === dash) return at + 1;
    const firstDigit = at;
    for (; isDigit(line[at]); at++) this.bytes = this.bytes * 10 + ((line[at] ?? 0) - zero);
    return at === firstDigit || at - firstDigit > maxDigits ? none : at;
  }

  /** ` "referer" "agent"` */
  #refererAndAgent(line: Uint8Array, start: number): number {
    if (line[start] !== space || line[start + 1] !== quote) return none;
    let at = start + 2;
    for (let byte = line[at] ?? 0; byte !== quote; byte = line[++at] ?? 0) {
      if (byte < space || byte === backslash) return none;
      // Perhaps a style sheet: what it asks for is judged by the referer.
      if (byte === 0x2e && isWord(line, at, 0x2e, 0x63, 0x73, 0x73)) return none;
    }
    if (line[at + 1] !== space || line[at + 2] !== quote) return none;
    at += 3;
    this.agentStart = at;
    for (let byte = line[at] ?? 0; byte !== quote; byte = line[++at] ?? 0) {
      if (byte < space || byte === backslash) return none;
    }
    this.agentEnd = at;
    // `-` stands for none.
    if (at - this.agentStart === 1 && line[this.agentStart] === dash) this.agentStart = at;
    return at + 1;
  }

  /** The line ends here; so does the log, perhaps. */
  #end(line: Uint8Array, start: number): boolean {
    const at = line[start] === 0x0d ? start + 1 : start;
    if (at < line.length && line[at] !== newline) return false;
    this.next = at + 1;
    return true;
  }
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= zero && byte <= 0x39;
}

/** -1 when they are none. */
function twoDigits(line: Uint8Array, at: number): number {
  const tens = (line[at] ?? 0) - zero;
  const ones = (line[at + 1] ?? 0) - zero;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : -1;
}

function isWord(line: Uint8Array, at: number, a: number, b: number, c: number, d: number): boolean {
  return line[at] === a && line[at + 1] === b && line[at + 2] === c && line[at + 3] === d;
}

const monthByBytes = new Map(
  ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'].map(
    (name, index) => [threeBytes(Buffer.from(name), 0), index + 1],
  ),
);

function monthAt(line: Uint8Array, at: number): number {
  return monthByBytes.get(threeBytes(line, at)) ?? -1;
}

function threeBytes(line: Uint8Array, at: number): number {
  return ((line[at] ?? 0) << 16) | ((line[at + 1] ?? 0) << 8) | (line[at + 2] ?? 0);
}
