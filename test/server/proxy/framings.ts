// Requests in every way their end can be marked, well or badly, for tests that look at what the proxy makes of them.
// Each has a target of its own, and content (or what may be taken for content) that reads like another request.

import { METHODS } from 'node:http';

/** What the proxy passes on, if it lets the request through at all. */
export const methods = METHODS.filter((method) => method !== 'CONNECT' && method !== 'TRACE');

export const spellings: readonly ((name: string) => string)[] = [
  (name) => name.toLowerCase(),
  (name) => name.toLowerCase().replace(/\b./g, (letter) => letter.toUpperCase()),
  (name) => name.toUpperCase(),
  (name) => [...name.toLowerCase()].map((c, i) => (i % 2 ? c.toUpperCase() : c)).join(''),
];

/** Reads like a request, by somebody who may not ask for it. */
export const smuggledBy = (id: string): string =>
  `GET /smuggled-${id} HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 192.0.2.66\r\n\r\n`;

export interface Framed {
  /** Field lines, with their line ends. */
  readonly lines: string;
  /** What follows the head. */
  readonly content: string;
  /** What the site gets as content; undefined: the request is refused. */
  readonly received: string | undefined;
  /** The line end of the request line and Host. */
  readonly lineEnd?: string;
}

type Spell = (name: string) => string;
/** @param inner the smuggled request */
type Framing = (spell: Spell, inner: string) => Framed;

const hex = (text: string) => text.length.toString(16);
const chunksOf = (text: string) => `${hex(text)}\r\n${text}\r\n0\r\n\r\n`;

/** Content whose length these lines tell badly. */
const lines =
  (of: (name: string, bytes: number) => string, lineEnd = '\r\n'): Framing =>
  (spell, inner) => ({
    lines: of(spell('Content-Length'), inner.length) + lineEnd,
    ...{ content: inner, received: undefined, lineEnd },
  });
/** A length that is refused in these words. */
const length = (value: (bytes: number) => string): Framing =>
  lines((name, bytes) => `${name}:${value(bytes)}`);
/** Chunks of which these lines tell badly. */
const codings =
  (of: (name: string) => string): Framing =>
  (spell, inner) => ({
    lines: `${of(spell('Transfer-Encoding'))}\r\n`,
    ...{ content: `0\r\n\r\n${inner}`, received: undefined },
  });
const coding = (value: string): Framing => codings((name) => `${name}:${value}`);
/** Both framings, in both orders. */
const both =
  (isLengthFirst: boolean): Framing =>
  (spell, inner) => {
    const content = chunksOf(inner);
    const lines = [
      `${spell('Content-Length')}: ${content.length}\r\n`,
      `${spell('Transfer-Encoding')}: chunked\r\n`,
    ];
    if (!isLengthFirst) lines.reverse();
    return { lines: lines.join(''), content, received: undefined };
  };

const told =
  (value: (bytes: number) => string): Framing =>
  (spell, inner) => ({
    lines: `${spell('Content-Length')}:${value(inner.length)}\r\n`,
    ...{ content: inner, received: inner },
  });

export const accepted: Readonly<Record<string, Framing>> = {
  none: () => ({ lines: '', content: '', received: '' }),
  'length 0': (spell) => ({
    lines: `${spell('Content-Length')}: 0\r\n`,
    content: '',
    received: '',
  }),
  length: told((bytes) => ` ${bytes}`),
  'length with zeros before it': told((bytes) => `  00${bytes} \t`),
};

/** In HTTP/1.1 alone. */
export const acceptedChunks: Readonly<Record<string, Framing>> = {
  chunks: (spell, inner) => ({
    lines: `${spell('Transfer-Encoding')}: chunked\r\n`,
    content: chunksOf(inner),
    received: inner,
  }),
  'chunks, in capitals': (spell, inner) => ({
    lines: `${spell('Transfer-Encoding')}: CHUNKED\r\n`,
    content: `000${chunksOf(inner)}`,
    received: inner,
  }),
  'chunks with extensions and trailers': (spell, inner) => ({
    lines: `${spell('Transfer-Encoding')}: chunked\r\n${spell('Trailer')}: X-Sum\r\n`,
    content: `5;a=b\r\nfirst\r\n${hex(inner)};c="d;e"\r\n${inner}\r\n0\r\n${spell('X-Sum')}: 1\r\n${spell('Host')}: b\r\n\r\n`,
    received: `first${inner}`,
  }),
  'no chunks': (spell) => ({
    lines: `${spell('Transfer-Encoding')}: chunked\r\n`,
    content: '0\r\n\r\n',
    received: '',
  }),
};

export const refused: Readonly<Record<string, Framing>> = {
  'the same length twice': length((bytes) => ` ${bytes}\r\nContent-Length: ${bytes}`),
  'two lengths': length((bytes) => ` 0\r\nContent-Length: ${bytes}`),
  'a list of lengths': length((bytes) => ` ${bytes}, ${bytes}`),
  'a length with a sign': length((bytes) => ` +${bytes}`),
  'a length in hex': length((bytes) => ` 0x${bytes.toString(16)}`),
  'a length with a space in it': length((bytes) => ` ${bytes} ${bytes}`),
  'an empty length': length(() => ''),
  'a space before the colon': lines((name, bytes) => `${name} : ${bytes}`),
  'a folded length': length((bytes) => `\r\n ${bytes}`),
  'a length in a folded field': lines((name, bytes) => `X: a\r\n ${name}: ${bytes}`),
  'a length behind a bare line feed': lines((name, bytes) => `X: a\n${name}: ${bytes}`),
  'line feeds alone': lines((name, bytes) => `${name}: ${bytes}`, '\n'),
  'length and chunks': both(true),
  'chunks and length': both(false),
  // The head has gone on then.
  'a length behind the chunks': (spell, inner) => ({
    lines: `${spell('Transfer-Encoding')}: chunked\r\n`,
    content: `5\r\nfirst\r\n0\r\n${spell('Content-Length')}: ${inner.length}\r\n\r\n${inner}`,
    received: undefined,
  }),
  'a coding nobody knows': coding(' xchunked'),
  'chunked in a list': coding(' chunked, identity'),
  'chunked behind another': coding(' gzip, chunked'),
  'a quoted coding': coding(' "chunked"'),
  'a coding behind a vertical tab': coding(' \x0bchunked'),
  'an empty coding': coding(''),
  'a coding twice': coding(' chunked\r\nTransfer-Encoding: chunked'),
  'a coding with a space before the colon': codings((name) => `${name} : chunked`),
};

export function requestBytes(
  method: string,
  target: string,
  { lines, content, lineEnd = '\r\n' }: Framed,
  version = '1.1',
): string {
  const kept = version === '1.0' ? 'Connection: keep-alive\r\n' : '';
  return `${method} ${target} HTTP/${version}${lineEnd}Host: a${lineEnd}${kept}${lines}${lineEnd}${content}`;
}
