// Reads the usual lines of clf and combined directly from bytes, each byte once, without creating strings. A line
// with anything unusual (an escape, a user name, a space in the target, another method, a control character) is
// rejected and left to the format's parser; where both read a line, the results are equal (a test ensures this).
//
// Two things are looked up rather than parsed: a known user agent, whose end follows from the end of the line, and
// the minute, which most lines share with the previous line. Reads may go past the end of the block: comparisons with
// `undefined` are always false.

import { dayNumber } from './formats/log-time.ts';

const space = 0x20;
const quote = 0x22;
const dash = 0x2d;
const dot = 0x2e;
const carriageReturn = 0x0d;
const zero = 0x30;
const maxDigits = 15;
const none = -1;

/** Bytes at which reading a field stops: control characters, quotes, backslashes, and others by field. */
const stopsIn = (...more: number[]): Uint8Array =>
  Uint8Array.from({ length: 256 }, (_, byte) =>
    byte < space || byte === quote || byte === 0x5c || more.includes(byte) ? 1 : 0,
  );
const endsQuoted = stopsIn();
const endsReferer = stopsIn(dot);
const endsTarget = stopsIn(space);

/** A block of lines, as bytes and as words. */
export interface LineBytes {
  bytes: Buffer;
  view: DataView;
}

/** Knows user agents by their bytes. */
export interface KnownAgents<Agent> {
  /** Undefined if unknown. A known one contains no quote, backslash or control character. */
  known(view: DataView, start: number, end: number): Agent | undefined;
}

/** Positions of the fields of the last line, and its numbers. */
export class UsualLine<Agent = never> {
  addressStart = 0;
  addressEnd = 0;
  targetStart = 0;
  targetEnd = 0;
  agentStart = 0;
  agentEnd = 0;
  /** The user agent, if known. */
  agent: Agent | undefined;
  method: 'GET' | 'HEAD' | 'POST' = 'GET';
  status = 0;
  bytes = 0;
  timeMs = 0;

  readonly #withAgent: boolean;
  readonly #agents: KnownAgents<Agent> | undefined;
  /** The last date, minute and zone as words, and the time they denote. */
  readonly #minute = new Int32Array(7);
  #minuteMs = 0;

  /** @param withAgent true for combined, false for clf */
  constructor(withAgent: boolean, agents?: KnownAgents<Agent>) {
    this.#withAgent = withAgent;
    this.#agents = agents;
  }

  /** Read the line from `start` to `end`, its line feed; false if it is not a usual one. */
  read({ bytes: line, view }: LineBytes, start: number, end: number): boolean {
    const last = line[end - 1] === carriageReturn ? end - 1 : end;
    let at = this.#address(line, start);
    if (at === none) return false;
    // After the address: 29 bytes of time, then the request.
    if (at + 29 > last) return false;
    at = this.#time(line, view, at);
    if (at === none) return false;
    at = this.#request(line, at);
    if (at === none) return false;
    at = this.#result(line, at);
    if (at !== none && this.#withAgent) at = this.#refererAndAgent(line, view, at, last);
    return at === last;
  }

  /** `192.0.2.1 - - [` */
  #address(line: Uint8Array, start: number): number {
    let at = start;
    // Printable ASCII only: a byte order mark or another script is left to the parser.
    for (let byte = line[at] as number; byte > space && byte < 0x7f; byte = line[at] as number)
      at++;
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
  #time(line: Uint8Array, view: DataView, at: number): number {
    const isUsual =
      line[at + 17] === 0x3a &&
      line[at + 20] === space &&
      line[at + 26] === 0x5d &&
      line[at + 27] === space &&
      line[at + 28] === quote;
    const second = twoDigits(line, at + 18);
    if (!isUsual || second < 0 || second > 60) return none;
    const minute = this.#minute;
    const isSameMinute =
      minute[4] === view.getInt32(at + 13, true) &&
      minute[3] === view.getInt32(at + 12, true) &&
      minute[2] === view.getInt32(at + 8, true) &&
      minute[1] === view.getInt32(at + 4, true) &&
      minute[0] === view.getInt32(at, true) &&
      minute[5] === view.getInt32(at + 20, true) &&
      minute[6] === view.getInt32(at + 22, true);
    if (!isSameMinute && !this.#readMinute(line, view, at)) return none;
    this.timeMs = this.#minuteMs + second * 1000;
    return at + 29;
  }

  #readMinute(line: Uint8Array, view: DataView, at: number): boolean {
    const sign = line[at + 21];
    const isUsual =
      line[at + 2] === 0x2f &&
      line[at + 6] === 0x2f &&
      line[at + 11] === 0x3a &&
      line[at + 14] === 0x3a &&
      (sign === 0x2b || sign === dash);
    const hour = twoDigits(line, at + 12);
    const minute = twoDigits(line, at + 15);
    const zoneHour = twoDigits(line, at + 22);
    const zoneMinute = twoDigits(line, at + 24);
    const century = twoDigits(line, at + 7);
    const year = twoDigits(line, at + 9);
    if (!isUsual || hour < 0 || minute < 0 || zoneHour < 0 || zoneMinute < 0) return false;
    if (hour > 23 || minute > 59 || century < 0 || year < 0) return false;
    const day = dayNumber(century * 100 + year, monthAt(line, at + 3), twoDigits(line, at));
    if (Number.isNaN(day)) return false;
    const zoneMinutes = (zoneHour * 60 + zoneMinute) * (sign === dash ? -1 : 1);
    this.#minuteMs = day * 86_400_000 + (hour * 60 + minute - zoneMinutes) * 60_000;
    timeWords.forEach((offset, index) => {
      this.#minute[index] = view.getInt32(at + offset, true);
    });
    return true;
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
    while (endsTarget[line[at] as number] === 0) at++;
    this.targetEnd = at;
    const isUsual =
      at > this.targetStart &&
      line[at] === space &&
      isWord(line, at + 1, 0x48, 0x54, 0x54, 0x50) &&
      line[at + 5] === 0x2f &&
      line[at + 7] === dot &&
      isDigit(line[at + 6]) &&
      isDigit(line[at + 8]) &&
      line[at + 9] === quote &&
      line[at + 10] === space;
    return isUsual ? at + 11 : none;
  }

  /** `200 123` or `304 -` */
  #result(line: Uint8Array, start: number): number {
    const hundreds = (line[start] as number) - zero;
    const rest = twoDigits(line, start + 1);
    if (!(hundreds >= 0 && hundreds <= 9) || rest < 0 || line[start + 3] !== space) return none;
    this.status = hundreds * 100 + rest;
    this.bytes = 0;
    let at = start + 4;
    if (line[at] === dash) return at + 1;
    const firstDigit = at;
    let bytes = 0;
    for (; isDigit(line[at]); at++) bytes = bytes * 10 + ((line[at] as number) - zero);
    this.bytes = bytes;
    return at === firstDigit || at - firstDigit > maxDigits ? none : at;
  }

  /** ` "referer" "agent"` up to `last`. */
  #refererAndAgent(line: Uint8Array, view: DataView, start: number, last: number): number {
    if (line[start] !== space || line[start + 1] !== quote) return none;
    let at = start + 2;
    for (;;) {
      while (endsReferer[line[at] as number] === 0) at++;
      if (line[at] !== dot) break;
      // Possibly a style sheet, whose subresources are classified by the referer.
      if (isWord(line, at, dot, 0x63, 0x73, 0x73)) return none;
      at++;
    }
    if (line[at] !== quote || line[at + 1] !== space || line[at + 2] !== quote) return none;
    at += 3;
    this.agentStart = at;
    this.agent = undefined;
    if (at < last && line[last - 1] === quote) {
      this.agentEnd = last - 1;
      this.agent = this.#agents?.known(view, at, last - 1);
      if (this.agent !== undefined) return last;
    }
    while (endsQuoted[line[at] as number] === 0) at++;
    if (line[at] !== quote) return none;
    this.agentEnd = at;
    // `-` means none.
    if (at - this.agentStart === 1 && line[this.agentStart] === dash) this.agentStart = at;
    return at + 1;
  }
}

/** Where the words of the time begin that contain everything except the seconds. */
const timeWords = [0, 4, 8, 12, 13, 20, 22];

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= zero && byte <= 0x39;
}

/** -1 if invalid. */
function twoDigits(line: Uint8Array, at: number): number {
  const tens = (line[at] as number) - zero;
  const ones = (line[at + 1] as number) - zero;
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
