// The scanner by itself: bytes in, references out, as early as each tag or rule is complete.
import { createScanner } from 'loadahead/scan';

const url = 'https://example.org/news/';
const scanner = createScanner({ url, viewport: { width: 360, height: 640 }, dpr: 2 });
const show = (references) => {
  for (const { kind, url, from } of references) console.log(kind, url, `(${from})`);
};

const page =
  '<link rel=stylesheet href=site.css><img srcset="s.png 360w, l.png 720w"><p class=note>text';
for (const byte of Buffer.from(page)) show(scanner.write(Uint8Array.of(byte)));
show(scanner.end());

const sheet = scanner.styleSheet({ url: `${url}site.css` });
show(
  sheet.write(
    '@import "more.css"; .note { background: url(note.png) } .other { background: url(b.png) }',
  ),
);
show(sheet.end());
