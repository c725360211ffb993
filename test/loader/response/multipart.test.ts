// Parts framed by their length, in every chunking; what is not exactly so is a fault, and what was complete by then stays.

import { describe, expect, it } from 'vitest';
import { boundaryOf, MultipartReader, type PartEvent } from '../../../loader/response/multipart.ts';
import { chunkings } from '../scan/chunkings.ts';

interface ReadPart {
  fields: Record<string, string>;
  body: string;
  ended: boolean;
}

interface Read {
  parts: ReadPart[];
  fault: string | null;
  isComplete: boolean;
}

const limits = { maxFieldBytes: 200, maxParts: 5, maxPartBytes: 1_000 };
const boundary = '0123456789abcdef0123456789abcdef';

function read(chunks: Buffer[], given = boundary): Read & { bytes: number } {
  const reader = new MultipartReader(given, limits);
  const events: PartEvent[] = chunks.flatMap((chunk) => reader.write(chunk));
  reader.end();
  const parts: ReadPart[] = [];
  let bytes = 0;
  for (const event of events) {
    const last = parts.at(-1) as ReadPart;
    if (event.kind === 'fields') {
      bytes += event.bytes;
      parts.push({ fields: Object.fromEntries(event.fields), body: '', ended: false });
    } else if (event.kind === 'data') {
      bytes += event.bytes.length;
      last.body += event.bytes.toString('latin1');
    } else last.ended = true;
  }
  return { parts, fault: reader.fault, isComplete: reader.isComplete, bytes };
}

function inEveryChunking(text: string, given = boundary): Read {
  const all = chunkings(Buffer.from(text, 'latin1'));
  const whole = read(all[0]?.chunks ?? [], given);
  for (const { name, chunks } of all) {
    const { parts, fault, isComplete } = read(chunks, given);
    expect({ fault, isComplete }, name).toEqual({
      fault: whole.fault,
      isComplete: whole.isComplete,
    });
    // What is passed on of a part that is not complete may differ: nobody uses it but as the beginning of a document.
    const ended = (read: ReadPart[]) => read.filter((part) => part.ended);
    expect(ended(parts), name).toEqual(ended(whole.parts));
  }
  return whole;
}

const part = (fields: string, body: string, length = body.length) =>
  `--${boundary}\r\n${fields}Content-Length: ${length}\r\n\r\n${body}\r\n`;
const close = `--${boundary}--\r\n`;

describe('parts', () => {
  it('have their fields and exactly their bytes', () => {
    const text = `${part('Content-Type: text/html\r\n', '<p>')}${part('content-location:\t/a \r\nX: \r\n', 'a\r\n')}${part('', '')}${close}`;
    const { parts, fault, isComplete } = inEveryChunking(text);
    expect({ fault, isComplete }).toEqual({ fault: null, isComplete: true });
    expect(parts).toEqual([
      { fields: { 'content-type': 'text/html', 'content-length': '3' }, body: '<p>', ended: true },
      {
        fields: { 'content-location': '/a', x: '', 'content-length': '3' },
        body: 'a\r\n',
        ended: true,
      },
      { fields: { 'content-length': '0' }, body: '', ended: true },
    ]);
  });

  it('count all bytes but those of the close delimiter', () => {
    const text = `${part('A: b\r\n', 'first')}${part('', 'second')}${close}`;
    const { bytes } = read([Buffer.from(text)]);
    expect(bytes).toBe(text.length - `\r\n${close}`.length);
  });

  it('the first may lack a length, and ends at the delimiter', () => {
    const body = `<p>\r\n--\r\n--${boundary}x\r\n--${boundary}-\r\n\r\n`;
    const text = `--${boundary}\r\nContent-Type: text/html\r\n\r\n${body}\r\n${part('', 'b')}${close}`;
    const { parts, fault } = inEveryChunking(text);
    expect(fault).toBeNull();
    expect(parts.map((each) => each.body)).toEqual([body, 'b']);
  });

  it('with no fields at all', () => {
    const { parts, fault } = inEveryChunking(`--${boundary}\r\n\r\nabc\r\n${close}`);
    expect(fault).toBeNull();
    expect(parts).toEqual([{ fields: {}, body: 'abc', ended: true }]);
  });

  it('with Status 304 has no body (RFC 9110 15.4.5)', () => {
    const text = `${part('', 'a')}--${boundary}\r\nStatus: 304\r\nETag: "1"\r\n\r\n\r\n${part('', 'b')}${close}`;
    const { parts, fault } = inEveryChunking(text);
    expect(fault).toBeNull();
    expect(parts.map(({ body }) => body)).toEqual(['a', '', 'b']);
  });

  it('what follows the close delimiter is ignored, and its CRLF may be missing', () => {
    for (const tail of ['', '\r', '\r\n', '\r\nepilogue', `\r\n${part('', 'late')}`]) {
      const { parts, isComplete } = inEveryChunking(`${part('', 'a')}--${boundary}--${tail}`);
      expect({ isComplete, parts: parts.length }).toEqual({ isComplete: true, parts: 1 });
    }
  });
});

describe('a fault', () => {
  const first = part('', 'first');
  /** A part of these lines alone. */
  const odd = (lines: string, body = '') => `--${boundary}\r\n${lines}\r\n\r\n${body}`;
  const end = `\r\n${close}`;
  it.each([
    ['nothing', '', 0, /ends before/],
    ['a preamble', `hello\r\n${first}${close}`, 0, /no delimiter at the start/],
    ['an empty line first', `\r\n${first}${close}`, 0, /no delimiter at the start/],
    ['another boundary', `${first}--other--\r\n`, 0, /no delimiter after part 1/],
    ['lines that end in LF', first.replaceAll('\r\n', '\n'), 0, /goes on|no delimiter/],
    ['LF between the fields', odd('A: b\nContent-Length: 0') + end, 0, /malformed/],
    ['padding after the boundary', first.replace('\r\n', ' \r\n') + close, 0, /goes on/],
    [
      'a length that is none',
      first + odd('Content-Length: 1e1', 'a') + end,
      1,
      /no valid Content-Length in part 2/,
    ],
    ['two lengths', odd('Content-Length: 1\r\nContent-Length: 1', 'a') + end, 0, /no valid/],
    ['no length, but in the first', first + odd('A: b', 'a') + end, 1, /no valid/],
    ['a 304 with a body', first + part('Status: 304 No\r\n', 'a') + close, 1, /no valid/],
    ['a folded field', odd('A: b\r\n c') + end, 0, /malformed/],
    ['a control character in a field', odd('A: b\x00c') + end, 0, /malformed/],
    ['space before the colon', odd('A : b') + end, 0, /malformed/],
    ['fields too long', part(`A: ${'x'.repeat(300)}\r\n`, 'a') + close, 0, /over 200 bytes/],
    ['fields without end', `--${boundary}\r\nA: ${'x'.repeat(300)}`, 0, /over 200 bytes/],
    ['too many parts', first.repeat(6) + close, 5, /more than 5 parts/],
    ['a body too long', first + part('', 'x'.repeat(1_001)) + close, 1, /more than 1000 bytes/],
    ['without length', `--${boundary}\r\n\r\n${'x'.repeat(1_100)}`, 0, /more than 1000 bytes/],
  ])('%s', (_name, text, ended, fault) => {
    const { parts, fault: found, isComplete } = inEveryChunking(text);
    expect(found).toMatch(fault);
    expect(isComplete).toBe(false);
    expect(parts.filter((each) => each.ended).length).toBe(ended);
  });

  it('ends it: later bytes are not read', () => {
    const reader = new MultipartReader(boundary, limits);
    expect(reader.write(Buffer.from('wrong'))).toEqual([]);
    const { fault } = reader;
    expect(reader.write(Buffer.from(`${part('', 'a')}${close}`))).toEqual([]);
    reader.end();
    expect(reader.fault).toBe(fault);
  });
});

describe('the boundary', () => {
  it.each([
    ['multipart/mixed; boundary=abc', 'abc'],
    ['multipart/mixed;boundary="abc"', 'abc'],
    ['Multipart/Mixed ; charset=x; BOUNDARY="a b?c"; x=y', 'a b?c'],
    [`multipart/mixed; boundary=${'x'.repeat(70)}`, 'x'.repeat(70)],
  ])('%s', (type, expected) => {
    expect(boundaryOf(type)).toBe(expected);
  });

  it.each([
    '',
    'text/html; boundary=abc',
    'multipart/mixed',
    'multipart/mixed; boundary=',
    'multipart/mixed; boundary=""',
    'multipart/mixed; boundary="a{b}"',
    'multipart/mixed; boundary="abc ',
    'multipart/mixed; boundary="abc "',
    'multipart/mixed; boundary="a\\"c"',
    'multipart/mixed; boundary="a\rc"',
    'multipart/mixed; notboundary=abc',
    'multipart/form-data; boundary=abc',
    `multipart/mixed; boundary=${'x'.repeat(71)}`,
  ])('none: %j', (type) => {
    expect(boundaryOf(type)).toBeNull();
  });
});
