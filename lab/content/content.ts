// What a page's content can save (Nielsen, Gettys et al. 1997, "Impact of Changing Web Content" and "Further
// Compression Experiments"): bytes and requests of Microscape's variants, loads of them over an emulated link, and the
// case of tags under compression. Beside each figure stands the paper's.

import * as zlib from 'node:zlib';
import type { LoaderOptions } from '../../loader/index.ts';
import { type LinkSettings, linkUnavailable } from '../link/link.ts';
import { links, onLink } from '../page-loads/links.ts';
import { type Coding, startNginx } from '../page-loads/nginx.ts';
import { interleave, ours, type Sample } from '../page-loads/ways.ts';
import { microscape } from '../paths.ts';
import type { BenchResult, Cell, Column, Table, Target } from '../result.ts';
import { ratios, spreadOf } from '../spread.ts';
import { claimTable } from './claims.ts';
import { claimsOfBytes, claimsOfLoads, type SampleOf } from './content-claims.ts';
import { paperLevel } from './html-alone.ts';
import { tagCases } from './tag-case.ts';
import { type ContentVariant, contentVariants, replacements } from './variants.ts';

export interface ContentSettings {
  rounds: number;
  /** The modem too: a minute a load. */
  withPpp: boolean;
  say: (line: string) => void;
}

export async function contentBench(settings: ContentSettings): Promise<BenchResult> {
  const variants = contentVariants();
  const missing = linkUnavailable(['nginx', 'ss']);
  const loads: Table[] = [];
  const claims = claimsOfBytes(variants);
  if (missing === null) loads.push((await overLink(links.wan, variants, settings)).table);
  if (missing === null && settings.withPpp) {
    const { table, of } = await overLink(links.ppp, variants, settings);
    loads.push(table);
    claims.push(...claimsOfLoads(of));
  }
  const cases = tagCases(String(variants[0]?.html));
  return {
    name: 'content',
    title: 'What the content can save',
    method: [
      'Microscape and four variants of it, made by lab/make/generate.ts: css/ (22 images are HTML and CSS, 3 are half of it), png/ (each GIF is a PNG of the same pixels, animations are APNG), css-png/ (both), modern/ (css/ with the shortest of PNG, WebP and AVIF that looks the same). test/browser/microscape-content.test.ts compares screenshots: png/ is the same pixel by pixel; in the others nothing moves and at most one pixel in a hundred differs by more than 32 of 255.',
      "Our images have the paper's totals, 103,299 bytes still and 24,988 animated, but not its pixels: they were drawn for this project. The 22 images that CSS can draw are 10,217 bytes here and were 14,791 there.",
      missing === null
        ? `Loads: nginx and the loader at the two ends of the emulated link, first visits on new connections, ways interleaved by round, ${settings.rounds} rounds count on the WAN, and one before them does not; on PPP each load is made once. gzip: nginx compresses the HTML (level ${paperLevel}, zlib's default and the paper's).`
        : `Loads are skipped: ${missing}.`,
      'Tag case: names of elements and attributes of the page in other cases; values, text and the script stay. deflate is zlib with its defaults (level 6), as in the paper.',
    ],
    tables: [
      claimTable(claims),
      bytes(variants),
      besidePaper(variants),
      ...loads,
      caseTable(cases),
    ],
    targets: targets(variants),
  };
}

const deflated = (bytes: Buffer): number => zlib.deflateSync(bytes).length;
const imageBytes = ({ stillBytes, animatedBytes }: ContentVariant) => stillBytes + animatedBytes;

const byteColumns: Column[] = [
  { name: 'page', meaning: 'Microscape as it is, or the folder of the variant' },
  { name: 'requests', meaning: 'the page and its images', digits: 0 },
  { name: 'HTML', meaning: 'bytes, without a style sheet', digits: 0 },
  { name: 'CSS', meaning: 'bytes of the style sheet, which stands in the HTML', digits: 0 },
  {
    name: 'deflated',
    meaning: 'bytes of HTML and CSS, deflated by zlib with its defaults',
    digits: 0,
  },
  { name: 'still images', meaning: 'bytes', digits: 0 },
  { name: 'animations', meaning: 'bytes', digits: 0 },
  { name: 'all', meaning: 'bytes of HTML, CSS and images', digits: 0 },
  { name: 'all, deflated', meaning: 'the same with HTML and CSS deflated', digits: 0 },
  { name: 'share', meaning: '`all, deflated` over `all` of the page as it is' },
];

function bytes(variants: readonly ContentVariant[]): Table {
  const plain = (variant: ContentVariant) => variant.html.length + imageBytes(variant);
  const first = plain(variants[0] as ContentVariant);
  const rows = variants.map((variant): Cell[] => {
    const { name, page, html, styleBytes, stillBytes, animatedBytes } = variant;
    const small = deflated(html);
    return [
      name,
      page.images + 1,
      html.length - styleBytes,
      styleBytes,
      small,
      stillBytes,
      animatedBytes,
      plain(variant),
      small + imageBytes(variant),
      (small + imageBytes(variant)) / first,
    ];
  });
  return { title: 'Bytes and requests', columns: byteColumns, rows };
}

const paperColumns: Column[] = [
  { name: 'what', meaning: 'of the paper, and of Microscape as recreated here' },
  { name: 'paper before', meaning: 'bytes, in the paper', digits: 0 },
  { name: 'paper after', meaning: 'bytes, in the paper', digits: 0 },
  { name: 'paper saved', meaning: 'share of the bytes, %', digits: 1 },
  { name: 'before', meaning: 'bytes, here', digits: 0 },
  { name: 'after', meaning: 'bytes, here', digits: 0 },
  { name: 'saved', meaning: 'share of the bytes, %', digits: 1 },
];

const savedPercent = (before: number, after: number) => 100 * (1 - after / before);

function besidePaper(variants: readonly ContentVariant[]): Table {
  const named = (name: string) => variants.find((one) => one.name === name) as ContentVariant;
  const [gif, png, modern] = [named('as it is'), named('png'), named('modern')];
  const { gifBytes, htmlAndCssBytes, ...half } = replacements();
  const row = (what: string, paper: [number, number] | null, here: [number, number]): Cell[] => [
    what,
    ...(paper === null ? [null, null, null] : [...paper, savedPercent(...paper)]),
    ...here,
    savedPercent(...here),
  ];
  return {
    title: "Beside the paper's figures",
    columns: paperColumns,
    rows: [
      row('22 images as HTML and CSS', [14_791, 3_200], [gifBytes, htmlAndCssBytes]),
      row('3 halved images, what is left of them', null, [half.halvedGifBytes, half.halfBytes]),
      row('3 halved images, with their HTML and CSS', null, [
        half.halvedGifBytes,
        half.halfWithHtmlAndCssBytes,
      ]),
      row('40 still GIFs as PNG', [103_299, 92_096], [gif.stillBytes, png.stillBytes]),
      row('the same with gamma, 16 bytes an image, as in the paper', null, [
        gif.stillBytes,
        png.stillBytes + 40 * 16,
      ]),
      row(
        '2 animations: MNG in the paper, APNG here',
        [24_988, 16_329],
        [gif.animatedBytes, png.animatedBytes],
      ),
      row('2 animations: the shorter of APNG and WebP', null, [
        gif.animatedBytes,
        modern.animatedBytes,
      ]),
      row('the HTML deflated', [42 * 1024, 11 * 1024], [gif.html.length, deflated(gif.html)]),
      row('all of the page as modern/, deflated', null, [
        gif.html.length + imageBytes(gif),
        deflated(modern.html) + imageBytes(modern),
      ]),
    ],
  };
}

/** What the paper compares with; only for the page as it is. */
const base = 'http1.0 x4';
const kinds: Array<[name: string, coding: Coding, options: LoaderOptions]> = [
  [base, 'plain', { protocol: 'http1.0', connections: 4 }],
  ['pipelined', 'plain', { protocol: 'pipelined', connections: 1 }],
  ['h2', 'plain', { protocol: 'h2' }],
  ['pipelined, gzip', 'gzip', { protocol: 'pipelined', connections: 1 }],
  ['h2, gzip', 'gzip', { protocol: 'h2' }],
];

const loadColumns: Column[] = [
  { name: 'load', meaning: 'page, protocol; gzip: nginx compresses the HTML' },
  { name: 'ms', meaning: 'completeMs: from the start of connecting to the last byte', digits: 1 },
  {
    name: 'to as it is',
    meaning:
      '`ms` over that of the page as it is, by the same protocol and coding in the same round',
  },
  {
    name: 'to http1.0 x4',
    meaning:
      '`ms` over that of the page as it is by HTTP/1.0 on four connections in the same round',
  },
  { name: 'packets', meaning: 'in both directions, all of TCP counted', digits: 0 },
  { name: 'KB down', meaning: '1,000 bytes of IP packets from the server', digits: 1 },
];

interface Loads {
  table: Table;
  /** The first sample of a variant by a way of `kinds`. */
  of: SampleOf;
}

/** Each page by each way. On PPP without h2: a load takes a minute, and h2 about the same. */
async function overLink(
  link: LinkSettings,
  variants: readonly ContentVariant[],
  { rounds, say }: ContentSettings,
): Promise<Loads> {
  say(link.name);
  const isModem = link === links.ppp;
  const first = variants[0] as ContentVariant;
  const loads = variants.flatMap((variant) =>
    kinds
      .filter(([kind]) => kind !== base || variant === first)
      .filter(([, , { protocol }]) => !isModem || protocol !== 'h2')
      .map(([kind, coding, options]) => ({ variant, kind, coding, options })),
  );
  const nameOf = (variant: ContentVariant, kind: string) => `${variant.name}, ${kind}`;
  const samples = await onLink(
    link,
    { ...first.page, folder: microscape },
    (place) => {
      const ways = loads.map(({ variant, kind, coding, options }) =>
        ours({ ...place, page: variant.page }, nameOf(variant, kind), coding, options),
      );
      return interleave(ways, isModem ? 1 : rounds, say, !isModem);
    },
    (opened, folder, scratch) => startNginx(opened, folder, scratch, paperLevel),
  );
  const rows = loads.map(({ variant, kind }): Cell[] => {
    const taken = (of: ContentVariant, by: string) => samples.get(nameOf(of, by)) ?? [];
    const spread = (value: (sample: Sample) => number) => spreadOf(taken(variant, kind).map(value));
    const times = (of: ContentVariant, by: string) => taken(of, by).map(({ ownMs }) => ownMs);
    const ratioTo = (by: string) => spreadOf(ratios(times(variant, kind), times(first, by)));
    return [
      nameOf(variant, kind),
      spread(({ ownMs }) => ownMs),
      ratioTo(kind),
      ratioTo(base),
      spread(({ packetsUp, packetsDown }) => packetsUp + packetsDown),
      spread(({ bytesDown }) => bytesDown / 1000),
    ];
  });
  return {
    table: { title: `First visit: ${link.name}`, columns: loadColumns, rows },
    of: (variant, kind) => samples.get(`${variant}, ${kind}`)?.[0] as Sample,
  };
}

const { BROTLI_PARAM_QUALITY, ZSTD_c_compressionLevel } = zlib.constants;
const codings: Array<[name: string, code: (bytes: Buffer) => Buffer]> = [
  ['deflate 6', (bytes) => zlib.deflateSync(bytes)],
  ['deflate 9', (bytes) => zlib.deflateSync(bytes, { level: 9 })],
  ['gzip 6', (bytes) => zlib.gzipSync(bytes)],
  ['zstd 3', (bytes) => zlib.zstdCompressSync(bytes)],
  [
    'zstd 19',
    (bytes) => zlib.zstdCompressSync(bytes, { params: { [ZSTD_c_compressionLevel]: 19 } }),
  ],
  ['br 5', (bytes) => zlib.brotliCompressSync(bytes, { params: { [BROTLI_PARAM_QUALITY]: 5 } })],
  ['br 11', (bytes) => zlib.brotliCompressSync(bytes)],
];

function caseTable(cases: ReturnType<typeof tagCases>): Table {
  const paper: Record<string, number> = { 'lower case': 0.27, [worstCase]: 0.35 };
  return {
    title: 'Case of tags, compressed',
    columns: [
      { name: 'tags', meaning: 'names of elements and attributes; mixed ones drawn from a seed' },
      {
        name: 'paper',
        meaning:
          'compressed over uncompressed bytes; the paper does not say how its mixed case was mixed',
      },
      ...codings.map(([name]) => ({
        name,
        meaning: 'compressed over uncompressed bytes, with the level of the coding',
        digits: 3,
      })),
    ],
    rows: cases.map(({ name, html }): Cell[] => {
      const page = Buffer.from(html);
      return [
        name,
        paper[name] ?? null,
        ...codings.map(([, code]) => code(page).length / page.length),
      ];
    }),
  };
}

const worstCase = 'mixed: each letter upper or lower';

function targets(variants: readonly ContentVariant[]): Target[] {
  const { htmlAndCssBytes } = replacements();
  const png = variants.find(({ name }) => name === 'png') as ContentVariant;
  const target = (what: string, limit: number, value: number): Target => ({
    what,
    limit,
    unit: 'bytes',
    measured: spreadOf([value]),
    judgedBy: 'median',
    digits: 0,
  });
  return [
    target('HTML and CSS in place of 22 images (paper: about)', 3_200, htmlAndCssBytes),
    target('still images as PNG (paper)', 92_096, png.stillBytes),
    target('animations as APNG (paper: MNG)', 16_329, png.animatedBytes),
  ];
}
