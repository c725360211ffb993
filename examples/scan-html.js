// The scanner by itself: bytes in, references out, as early as each tag is complete.
import { createScanner } from 'loadahead/scan';

const scanner = createScanner({
  url: 'https://example.org/news/',
  contentType: 'text/html; charset=utf-8',
});

const page =
  '<base href="/static/"><link rel=stylesheet href=site.css><img src="a.png"><script src=x.js></script>';
for (const byte of Buffer.from(page)) {
  for (const { kind, url } of scanner.write(Uint8Array.of(byte))) console.log(kind, url);
}
