// The one contract of log/: a format makes a parser for one file, and the parser turns a line into a
// LogLine, or says in a few words why it cannot. It never throws, whatever the line is, and looks at
// every character a bounded number of times. All state of a file (the columns that a directive names, a
// month that only counting tells) lives in the parser. Adding a format: one file, one row in formats/index.ts.

/** What a line tells. A text is raw, as logged, but for the escapes of the log's own quoting. */
export interface LogLine {
  /** Of the client: IP address, host name or pseudonym. */
  address: string;
  /** Absent: this log does not tell. Empty: the client sent none. */
  userAgent: string | undefined;
  /** Upper case as sent; empty where the request could not be read (the server logs `-`). */
  method: string;
  /** Target of the request: path and query, or an absolute URL. */
  url: string;
  /** Name (and port) of the site, when the log tells it. */
  host: string | undefined;
  secure: boolean;
  status: number;
  /** Bytes sent; 0 when unknown. Some servers count the header in. */
  bytes: number;
  /** Milliseconds since the epoch. */
  timeMs: number;
  referer: string | undefined;
  /** Value of Sec-Purpose, Purpose or X-Moz. */
  purpose: string | undefined;
  /** Value of Sec-Fetch-Dest. */
  fetchDestination: string | undefined;
  /** Media type of the response. */
  contentType: string | undefined;
  /** From the request to the last byte sent, ms; undefined when the log does not tell it. */
  durationMs: number | undefined;
}

/** LogLine: an access. Text: the reason why the line cannot be read. Undefined: no access was meant
 *  (a blank line, a directive, another kind of event). */
export type ParsedLine = LogLine | string | undefined;

export interface LineParser {
  /** `line` comes without its line end. */
  parse(line: string): ParsedLine;
}

export interface LogFormat {
  readonly name: string;
  /** Its accesses belong to many sites: URLs are kept with their host. */
  readonly manySites: boolean;
  /** Its usual line can be read by usual-line.ts: with a user agent, without; absent: it cannot. */
  readonly usual?: 'with-agent' | 'without-agent';
  /** How well the format fits the first lines of a file: 0 not at all, 1 each line that means an access. */
  detect(lines: readonly string[]): number;
  /** A parser for one file, from its first line on. */
  createParser(): LineParser;
}

/** A line of which nothing is known yet. All lines have the same fields in the same order: V8 then reads
 *  them all with one hidden class. */
export function emptyLine(): LogLine {
  return {
    address: '',
    userAgent: undefined,
    method: '',
    url: '',
    host: undefined,
    secure: false,
    status: 0,
    bytes: 0,
    timeMs: 0,
    referer: undefined,
    purpose: undefined,
    fetchDestination: undefined,
    contentType: undefined,
    durationMs: undefined,
  };
}

/** The share of `lines` meaning an access that the parser reads; 0 when none does. */
export function shareRead(parser: LineParser, lines: readonly string[]): number {
  let read = 0;
  let refused = 0;
  for (const line of lines) {
    const parsed = parser.parse(line);
    if (typeof parsed === 'string') refused++;
    else if (parsed !== undefined) read++;
  }
  return read === 0 ? 0 : read / (read + refused);
}
