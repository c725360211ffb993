// What Nielsen, Gettys et al. 1997 (9 and 12) say of changed content, judged by the bytes of the variants and by their
// loads over the modem's line.

import { deflateSync } from 'node:zlib';
import type { Sample } from '../page-loads/ways.ts';
import type { Claim } from './claims.ts';
import { type ContentVariant, replacements } from './variants.ts';

/** A load of a variant by a way: `of('css', 'pipelined, gzip')`. */
export type SampleOf = (variant: string, way: string) => Sample;

const images = ({ stillBytes, animatedBytes }: ContentVariant) => stillBytes + animatedBytes;

export function claimsOfBytes(variants: readonly ContentVariant[]): Claim[] {
  const named = (name: string) => variants.find((one) => one.name === name) as ContentVariant;
  const [gif, css, png] = [named('as it is'), named('css'), named('png')];
  const { gifBytes, htmlAndCssBytes, halvedGifBytes, halfBytes } = replacements();
  const saved = (before: number, after: number) => 100 * (1 - after / before);
  const more = deflateSync(css.html).length - deflateSync(gif.html).length;
  return [
    {
      section: '9.1',
      claim: '22 images are 4.6 times as large as the HTML and CSS that stand for them',
      printed: 4.6,
      here: gifBytes / htmlAndCssBytes,
      holds: 'partly',
      why: 'our 22 images are 10,217 bytes, theirs were 14,791; what stands for them is 2,593 bytes for their 3,200',
    },
    {
      section: '9.1',
      claim: 'this factor increases if HTML and CSS are compressed (all 25 images)',
      printed: null,
      here: (gifBytes + halvedGifBytes - halfBytes) / more,
      holds: 'yes',
      why: `the page with them is ${more} bytes longer when both are deflated`,
    },
    {
      section: '9.2',
      claim: '40 GIFs as PNG are 10.8 % fewer bytes',
      printed: 10.8,
      here: saved(gif.stillBytes, png.stillBytes),
      holds: 'partly',
      why: 'other pixels: 73 of our 103 KB are photographs with the grain of a film, of which PNG saves 4 %; banners and buttons save a third and a sixth',
    },
    {
      section: '9.2',
      claim: 'two animations as MNG are 34.7 % fewer bytes',
      printed: 34.7,
      here: saved(gif.animatedBytes, png.animatedBytes),
      holds: 'partly',
      why: 'as APNG, as browsers show no MNG; MNG shares palettes and moves objects, APNG does neither',
    },
    {
      section: '9.2',
      claim: 'PNG and MNG save about 19 % of the bytes of images',
      printed: 19,
      here: saved(images(gif), images(png)),
      holds: 'no',
      why: 'their own figures, 11,203 and 8,659 of 128,287 bytes, are 15.5 %',
    },
  ];
}

export function claimsOfLoads(of: SampleOf): Claim[] {
  const [pipelined, gzip] = ['pipelined', 'pipelined, gzip'];
  const first = of('as it is', 'http1.0 x4');
  const plain = of('as it is', pipelined);
  // From the server only: on so slow a line clients send requests twice, more or less of them by chance.
  const saves = (variant: string, way: string) => plain.bytesDown - of(variant, way).bytesDown;
  const [deflate, css, png, modern] = [
    saves('as it is', gzip),
    saves('css', pipelined),
    saves('png', pipelined),
    saves('modern', pipelined),
  ] as [number, number, number, number];
  const kilobytes = (amount: number) => `${(amount / 1000).toFixed(1)} KB`;
  const together = of('css-png', gzip).ownMs / first.ownMs;
  return [
    {
      section: '12',
      claim: 'all techniques together take about 60 % of the time of HTTP/1.0 over a modem',
      printed: 0.6,
      here: together,
      holds: together < 0.63 ? 'yes' : 'no',
      why: `${(of('css-png', gzip).ownMs / 1000).toFixed(1)} s for ${(first.ownMs / 1000).toFixed(1)} s by pipelining, CSS, PNG and deflate together; of 128.3 KB of images PNG and MNG saved the paper 19.9 KB, PNG and APNG save 13.2 KB here`,
    },
    {
      section: '12',
      claim: 'transport compression saves most bytes, before style sheets: the one to the other',
      printed: null,
      here: deflate / css,
      holds: deflate > css ? 'yes' : 'no',
      why: `${kilobytes(deflate)} and ${kilobytes(css)}, from the server, with all headers`,
    },
    {
      section: '12',
      claim: 'and style sheets more than formats of images: the one to the other',
      printed: null,
      here: css / png,
      holds: css > png ? 'yes' : 'no',
      why: `${kilobytes(css)}, a third of it headers of responses, and ${kilobytes(png)} by PNG and APNG`,
    },
    {
      section: '12',
      claim:
        'style sheets are the biggest possibility to save bandwidth: to compression and to formats of today, the larger of both',
      printed: null,
      here: css / Math.max(deflate, modern - css),
      holds: 'no',
      why: `the paper contradicts its own order; and lossy formats that came later save ${kilobytes(modern - css)} of what CSS leaves`,
    },
  ];
}
