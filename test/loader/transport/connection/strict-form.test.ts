// Whatever comes, in whatever pieces: what a strict parser gets does not depend on the pieces, and no more is held
// back than one section. A sound response stays what it is.

import { expect, test } from 'vitest';
import { StrictForm } from '../../../../loader/transport/connection/strict-form.ts';
import fc from '../../../support/property.ts';

const maxHeaderBytes = 80;

const piece = fc.constantFrom(
  ...['HTTP/1.1 200 OK', 'HTTP/1.1 103 ', 'HTTP/1.1 304 ', '\r\n', '\n', '\r', '\n\n', '\r\n\r\n'],
  ...[
    'Content-Length: 5',
    'Content-Length:',
    'content-length : 5',
    'Content-Length: 5, 5',
    '5',
    '6',
  ],
  ...[
    'Transfer-Encoding: chunked',
    'junk',
    'X: a',
    ' folded',
    ': ',
    '\0',
    '\x01',
    '\xff',
    ' ',
    '\t',
  ],
  ...['0\r\n', '2 \r\nab\r\n', '3;a=b\nabc\n', 'fffffffffffffffff\r\n', 'x'.repeat(70)],
);
const bytes = fc
  .array(piece, { maxLength: 40 })
  .map((list) => Buffer.from(list.join(''), 'latin1'));

function read(chunks: Iterable<Buffer>): { out: string; quirks: string[] } {
  const quirks: string[] = [];
  const form = new StrictForm(false, maxHeaderBytes, quirks);
  let out = '';
  for (const chunk of chunks) out += form.write(chunk).toString('latin1');
  return { out, quirks };
}

test('the pieces do not matter', () => {
  fc.assert(
    fc.property(bytes, (all) => {
      const single = [...all].map((byte) => Buffer.of(byte));
      expect(read(single)).toEqual(read([all]));
    }),
  );
});

test('no more is held back than one section', () => {
  fc.assert(
    fc.property(bytes, (all) => {
      const more = Buffer.alloc(maxHeaderBytes + 1, 'y');
      expect(read([all, more]).out.length).toBeGreaterThan(read([all]).out.length);
    }),
  );
});

test('a sound response stays what it is', () => {
  const text = [
    'HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n',
    '5;a="b c"\r\nhello\r\n00\r\n\r\nbehind it',
  ].join('');
  expect(read([Buffer.from(text)])).toEqual({ out: text, quirks: [] });
});
