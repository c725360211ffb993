// Defines the contract of a log format: it creates a parser for each file, which turns a line into a LogLine or a short
// reason why it cannot. A parser never throws and examines each character a bounded number of times. The state of a
// file (columns named by a directive) is kept in the parser. If sites may change the order of a format's fields, the
// format finds the order (the layout) in the first lines. To add a format, add a row to formats/field-formats.ts; if
// that is not enough, write one file and add it to formats/index.ts.

/** The contents of a line. Texts are as logged, except that the log's own quoting is decoded. */
export interface LogLine {
  /** The client: an IP address, host name or pseudonym. */
  address: string;
  /** The user agent. Undefined: the log does not record it. Empty: the client sent none. */
  userAgent: string | undefined;
  /** Method as sent; empty if the request could not be read (the server logs `-`). */
  method: string;
  /** Request target: path and query, or an absolute URL. */
  url: string;
  /** Name (and port) of the site, if the log records it. */
  host: string | undefined;
  secure: boolean;
  status: number;
  /** Bytes sent; 0 if unknown. Some servers count the header as well. */
  bytes: number;
  /** Time of the request, milliseconds since the epoch. */
  timeMs: number;
  referer: string | undefined;
  /** Value of Sec-Purpose, Purpose or X-Moz. */
  purpose: string | undefined;
  /** Value of Sec-Fetch-Dest. */
  fetchDestination: string | undefined;
  /** Media type of the response. */
  contentType: string | undefined;
  /** Value of X-Robots-Tag. */
  robotsTag: string | undefined;
  /** The log shows that the answer was for one person: it set a cookie, was not to be stored, or needed a login. */
  isPrivate: boolean;
  /** Time from the request to the last byte sent, ms; undefined if not logged. */
  durationMs: number | undefined;
}

/** Returns whether Cache-Control says that an answer is for one person, or not to be stored. */
export const saysPrivate = (caching: string): boolean => /\b(?:private|no-store)\b/i.test(caching);

/** A LogLine is an access; a text says why the line cannot be read; undefined: the line is not meant as an access (it
 *  is blank, a directive, or another kind of event). */
export type ParsedLine = LogLine | string | undefined;

export interface LineParser {
  /** Parses a line, which is not empty and has no line end. */
  parse(line: string): ParsedLine;
  /** Where the fields of a line are, in words for the operator; absent: the format has only one order of fields. */
  readonly layout?: string;
}

export interface LogFormat {
  readonly name: string;
  /** Accesses of the log belong to many sites, so URLs keep their host. Absent: they belong to one site. */
  readonly manySites?: boolean;
  /** Makes a parser for one file, from its first line on. @param firstLines lines that show the order of fields;
   *  absent: the usual order */
  createParser(firstLines?: readonly string[]): LineParser;
}

/** Makes a new LogLine. All have the same fields in the same order, so V8 uses one hidden class for them. */
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
    robotsTag: undefined,
    isPrivate: false,
    durationMs: undefined,
  };
}

/**
 * Returns how well a format fits lines: the share that it reads of the lines meant as accesses; 0 if there are none.
 */
export function shareRead(format: LogFormat, lines: readonly string[]): number {
  const parser = format.createParser(lines);
  let read = 0;
  let refused = 0;
  for (const line of lines) {
    const parsed = line === '' ? undefined : parser.parse(line);
    if (typeof parsed === 'string') refused++;
    else if (parsed !== undefined) read++;
  }
  return read === 0 ? 0 : read / (read + refused);
}
