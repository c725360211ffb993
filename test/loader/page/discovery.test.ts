// What a page's style sheets and modules lead to: which requests follow, in which order, and with which fields.

import { describe, expect, it, test } from 'vitest';
import { loadPage } from '../../../loader/loader.ts';
import type { LoaderOptions } from '../../../loader/options.ts';
import { withConstants } from '../../../options/options.ts';
import { eventually } from '../../support/eventually.ts';
import { startHttp2Site } from '../../support/http2-site.ts';
import type { SeenRequest } from '../../support/raw-server.ts';
import { keptCache } from '../page-cache/site.ts';
import { answerTo, type Files, pathsOf, startFiles } from './discovered-site.ts';

async function loaded(files: Files, options: LoaderOptions = {}) {
  await using server = await startFiles(files);
  const page = await loadPage(server.origin, options);
  return { page, paths: pathsOf(server.requests), requests: server.requests, server };
}

const headers = (requests: readonly SeenRequest[], path: string) =>
  requests.find((request) => request.path === path)?.headers;

describe('a style sheet', () => {
  it('leads to its imports, images and fonts', async () => {
    const { page, paths } = await loaded({
      '/': '<link rel=stylesheet href=a.css><p class=x>text',
      '/a.css':
        '@import "sub/b.css";@font-face{font-family:f;src:url(f.woff2)}.x{background:url(x.png)}.y{background:url(y.png)}',
      '/sub/b.css': 'p{font-family:f;mask:url(m.png)}',
    });
    expect(paths.sort()).toEqual(
      ['/', '/a.css', '/sub/b.css', '/sub/m.png', '/f.woff2', '/x.png'].sort(),
    );
    const image = page.resources.find(({ url }) => url.endsWith('/x.png'));
    expect(image).toMatchObject({ from: 'background', why: 'for .x', kind: 'image' });
    expect(image?.initiator).toMatch(/\/a\.css$/);
  });

  it('is the referrer of what it names; fonts are fetched with CORS', async () => {
    const { requests, server } = await loaded(
      {
        '/': '<link rel=stylesheet href=/css/a.css><p>text',
        '/css/a.css':
          'p{background:url(x.png)}@font-face{font-family:f;src:url(f.woff2)}p{font-family:f}',
      },
      { headers: 'browser' },
    );
    expect(headers(requests, '/css/x.png')).toMatchObject({
      referer: `${server.origin}/css/a.css`,
      'sec-fetch-mode': 'no-cors',
    });
    expect(headers(requests, '/css/f.woff2')).toMatchObject({
      origin: server.origin,
      'sec-fetch-mode': 'cors',
      'sec-fetch-dest': 'font',
    });
  });

  it('has the referrer policy of its own response', async () => {
    const { requests } = await loaded(
      {
        '/': '<link rel=stylesheet href=a.css><p>text',
        '/a.css': ['p{background:url(x.png)}', { 'Referrer-Policy': 'no-referrer' }],
      },
      { headers: 'browser' },
    );
    expect(headers(requests, '/a.css')?.referer).toBeDefined();
    expect(headers(requests, '/x.png')?.referer).toBeUndefined();
  });

  it('for print leads to its imports alone', async () => {
    const { page, paths } = await loaded({
      '/': '<link rel=stylesheet href=a.css media=print><p>text',
      '/a.css': '@import "b.css";p{background:url(x.png);font-family:f}',
      '/b.css': 'p{background:url(y.png)}@font-face{font-family:f;src:url(f.woff2)}',
    });
    expect(paths).toEqual(['/', '/a.css', '/b.css']);
    const reasons = new Set(page.skipped.map(({ why }) => why));
    expect(reasons).toEqual(new Set(['in a style sheet that does not apply']));
  });

  it('that came in pieces, or again on another connection, is read whole', async () => {
    const sheet = `p{background:url(x.png)}${'i{color:red}'.repeat(2_000)}i{background:url(i.png)}`;
    const files: Files = { '/': '<link rel=stylesheet href=a.css><p><i>text', '/a.css': sheet };
    let isBroken = false;
    await using server = await startFiles(files, {
      onRequest(request, connection) {
        const whole = answerTo(request, files);
        if (request.path !== '/a.css' || isBroken) {
          connection.write(whole);
          return;
        }
        isBroken = true;
        connection.end(whole.subarray(0, 9_000));
      },
    });
    const page = await loadPage(server.origin);
    expect(page.totals.errors).toBe(2); // there are no images
    expect(new Set(pathsOf(server.requests))).toEqual(new Set(['/', '/a.css', '/x.png', '/i.png']));
  });
});

/** A page with a style sheet. */
const styled = (css: Files[string], body = '<p>text'): Files => ({
  '/': `<link rel=stylesheet href=a.css>${body}`,
  '/a.css': css,
});

/** What is requested, in its order. */
const requested: [string, Files, string[]][] = [
  [
    'a style sheet of another type is not read',
    styled(['p{background:url(x.png)}', { 'Content-Type': 'text/plain' }]),
    ['/a.css'],
  ],
  [
    'a style sheet that is missing names nothing',
    { '/': '<link rel=stylesheet href=a.css><p>text' },
    ['/a.css'],
  ],
  [
    'style sheets in a circle are fetched once',
    { ...styled('@import "b.css";'), '/b.css': '@import "a.css";@import "b.css";' },
    ['/a.css', '/b.css'],
  ],
  [
    // The two bytes of UTF-8 are two characters of windows-1252.
    'a style sheet has the encoding of its page, unless it says another one',
    {
      '/': ['<link rel=stylesheet href=a.css><p>', { 'Content-Type': 'text/html;charset=latin1' }],
      '/a.css': 'p{background:url("/\u00e9")}',
    },
    ['/a.css', '/%C3%83%C2%A9'],
  ],
  [
    'a font that fails leads to the next of its sources (CSS Fonts 4, 4.3)',
    {
      '/': '<style>@font-face{font-family:f;src:url(a.woff2),url(b.woff2),url(c.woff2)}p{font-family:f}</style><p>text',
      '/b.woff2': 'font',
    },
    ['/a.woff2', '/b.woff2'],
  ],
  [
    'of a style sheet, preloads of its Link field, too; a page behind it is hinted by the document alone',
    styled(['', { Link: '</f.woff2>; rel=preload; as=font; crossorigin' }]),
    ['/a.css', '/f.woff2'],
  ],
  [
    'modules that were preloaded as plain scripts are read, too',
    {
      '/': '<link rel=preload as=script crossorigin href=m.js><script type=module src=m.js></script>',
      '/m.js': 'import "./n.js"',
      '/n.js': '',
    },
    ['/m.js', '/n.js'],
  ],
  [
    'modules of another type are not read',
    {
      '/': '<script type=module src=main.js></script>',
      '/main.js': ['import "./y.js"', { 'Content-Type': 'text/html' }],
    },
    ['/main.js'],
  ],
  [
    'frames are left out',
    { '/': '<iframe src=frame/></iframe>', '/frame/': '<img src=x.png>' },
    [],
  ],
];
it.each(requested)('%s', async (_, files, expected) => {
  expect((await loaded(files)).paths).toEqual(['/', ...expected]);
});

it.each<[string, Files, string[]]>([
  [
    'SVG documents of objects and frames are read, not of images',
    {
      '/': '<img src=a.svg><object data=b.svg></object>',
      '/a.svg': '<svg><image href="not.png"/></svg>',
      '/b.svg': '<svg><style>rect{mask:url(m.png)}</style><image href="i.png"/><rect/></svg>',
    },
    ['/a.svg', '/b.svg', '/i.png', '/m.png'],
  ],
  [
    'frames are pages of their own',
    {
      '/': '<iframe src=frame/></iframe><iframe srcdoc="<p style=background:url(doc.png)>"></iframe>',
      '/frame/': '<link rel=stylesheet href=f.css><p>text',
      '/frame/f.css': 'p{background:url(f.png)}',
    },
    ['/doc.png', '/frame/', '/frame/f.css', '/frame/f.png'],
  ],
])('by the option `frames`: %s', async (_, files, expected) => {
  const { paths } = await loaded(files, { discovery: { also: ['frames'] } });
  expect(paths.sort()).toEqual(['/', ...expected]);
});

describe('Link fields', () => {
  it('a style sheet of 103 Early Hints is read before the document comes', async () => {
    const files: Files = {
      '/': '<link rel=stylesheet href=a.css><p class=x>\u00e9',
      '/a.css': '@import "b.css";.x{background:url(x.png)}',
      '/b.css': '',
    };
    let document: (() => void) | null = null;
    await using server = await startFiles(files, {
      onRequest(request, connection) {
        const answer = () => connection.write(answerTo(request, files));
        if (request.path === '/') {
          connection.write(
            'HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload; as=style\r\n\r\n',
          );
          document = answer;
        } else {
          answer();
          // Only when the import has been asked for.
          if (request.path === '/b.css') document?.();
        }
      },
    });
    const page = await loadPage(server.origin, { protocol: 'persistent' });
    expect(pathsOf(server.requests)).toEqual(['/', '/a.css', '/b.css', '/x.png']);
    const image = page.resources.find(({ url }) => url.endsWith('/x.png'));
    expect(image?.initiator).toBe(`${server.origin}/a.css`);
  });

  it("are under the policy of their response, or of the page's (CSP 3, 4.1.2)", async () => {
    const headers = {
      'Content-Security-Policy': "script-src 'none'",
      Link: '</x.js>; rel=preload; as=script, </y.css>; rel=preload; as=style',
    };
    const { paths, page } = await loaded(
      { '/': ['<p>', headers], '/y.css': ['', { Link: '</z.js>; rel=preload; as=script' }] },
      {},
    );
    expect(paths).toEqual(['/', '/y.css']);
    expect(page.skipped.map(({ url, why }) => [new URL(url).pathname, why])).toEqual([
      ['/x.js', "the page's policy forbids it: script-src"],
      ['/z.js', "the page's policy forbids it: script-src"],
    ]);
  });

  it('are for the screen of the load', async () => {
    const link = '<>; rel=preload; as=image; imagesrcset="/s.gif 400w, /l.gif 2000w"';
    const files: Files = { '/': ['<p>', { Link: link, 'Content-Type': 'text/html' }] };
    const discovery = { viewport: '360x640' };
    expect((await loaded(files, { discovery })).paths).toEqual(['/', '/s.gif']);
    expect((await loaded(files)).paths).toEqual(['/', '/l.gif']);
  });
});

describe('limits', () => {
  it.each<[string, Files, string[]]>([
    [
      'stylesheet',
      {
        '/': '<link rel=stylesheet href=1.css>',
        ...{ '/1.css': '@import "2.css";', '/2.css': '@import "3.css";', '/3.css': '' },
      },
      ['/1.css', '/2.css'],
    ],
    [
      'script',
      {
        '/': '<script type=module src=1.js></script>',
        ...{ '/1.js': 'import "./2.js"', '/2.js': 'import "./3.js"', '/3.js': '' },
      },
      ['/1.js', '/2.js'],
    ],
  ])('maxDepth: longer chains of a %s end, and say so', async (kind, files, expected) => {
    const { page, paths } = await loaded(files, withConstants({ limits: { maxDepth: 2 } }));
    expect(paths).toEqual(['/', ...expected]);
    expect(page.skipped).toMatchObject([{ kind, why: 'more than 2 sheets or modules deep' }]);
  });

  it.each([
    [
      'other origins and parts of URLs',
      ['cross-origin', '/b*png', '.js'],
      ['/b.png: excluded', '/c.png: on another origin', '/d.js: excluded'],
    ],
    [
      'cross-site, by registrable domain, or else by host (HTML 7.1.1)',
      ['cross-site', '/b*png', '.js'],
      ['/b.png: excluded', '/c.png: on another site', '/d.js: excluded'],
    ],
  ])('exclude: %s', async (_, exclude, skipped) => {
    const html =
      '<img src=a.png><img src=b.png><img src=//other.test/c.png><script src=d.js></script>';
    const { page, paths } = await loaded({ '/': html }, { discovery: { exclude } });
    expect(paths).toEqual(['/', '/a.png']);
    const reasons = page.skipped.map(({ url, why }) => `${new URL(url).pathname}: ${why}`);
    expect(reasons.sort()).toEqual(skipped);
  });
});

describe('modules', () => {
  it('lead to their imports, by the import map, in CORS mode', async () => {
    const { page, paths, requests, server } = await loaded(
      {
        '/': '<script type=importmap>{"imports":{"x":"/lib/x.js"}}</script><script type=module src=main.js></script><script src=classic.js></script>',
        '/main.js': 'import "x"; import "./y.js"; import("./later.js")',
        '/lib/x.js': 'export * from "./z.js"',
        '/classic.js': 'import("./never.js")',
        '/y.js': '',
        '/lib/z.js': '',
      },
      { headers: 'browser' },
    );
    expect(paths.sort()).toEqual(
      ['/', '/classic.js', '/lib/x.js', '/lib/z.js', '/main.js', '/y.js'].sort(),
    );
    expect(headers(requests, '/lib/x.js')).toMatchObject({
      origin: server.origin,
      referer: `${server.origin}/main.js`,
    });
    expect(page.totals.errors).toBe(0);
  });
});

describe('order', () => {
  const html = [
    '<img src=1.png><img src=2.png fetchpriority=high><img src=3.png fetchpriority=low>',
    '<link rel=stylesheet media=print href=print.css><script async src=async.js></script>',
    '<script src=blocking.js></script><link rel=stylesheet href=a.css>',
  ].join('');

  it.each(['persistent', 'pipelined'] as const)(
    '%s: what blocks, then by priority, in one chunk',
    async (protocol) => {
      const { paths } = await loaded({ '/': html }, { protocol, connections: 1 });
      expect(paths).toEqual([
        '/',
        ...['/blocking.js', '/a.css', '/2.png', '/1.png', '/3.png', '/async.js', '/print.css'],
      ]);
    },
  );

  it('icons and the manifest come when all else is there', async () => {
    const answered: string[] = [];
    const files: Files = {
      '/': '<link rel=icon href=i.png><link rel=manifest href=m.json><link rel=stylesheet href=a.css><p>',
      '/a.css': 'p{background:url(x.png)}',
    };
    await using server = await startFiles(files, {
      onRequest(request, connection) {
        connection.write(answerTo(request, files));
        answered.push(request.path);
      },
    });
    await loadPage(server.origin, { discovery: { also: ['icons'] } });
    expect(answered).toEqual(['/', '/a.css', '/x.png', '/m.json', '/i.png']);
  });
});

test('over HTTP/2 requests say their priority as Chromium does (RFC 9218)', async () => {
  const said = new Map<string, string | undefined>();
  const html =
    '<link rel=stylesheet href=/s.css><script src=/b.js></script><script async src=/a.js></script><img src=/1.png><link rel=stylesheet media=print href=/p.css><p>text';
  const sheet = '@font-face{font-family:f;src:url(f.woff2)}p{font-family:f;background:url(x.png)}';
  await using site = await startHttp2Site((path, stream, { headers }) => {
    said.set(path, headers.priority as string | undefined);
    const isSheet = path === '/s.css';
    stream.respond({ ':status': 200, 'content-type': isSheet ? 'text/css' : 'text/html' });
    stream.end(path === '/' ? html : isSheet ? sheet : '');
  });
  await loadPage(site.origin, { protocol: 'h2' });
  expect(Object.fromEntries(said)).toEqual({
    ...{ '/': 'u=0, i', '/s.css': 'u=0', '/b.js': 'u=1', '/a.js': undefined },
    ...{ '/1.png': 'u=2, i', '/p.css': 'u=4', '/f.woff2': 'u=0', '/x.png': 'i' },
  });
});

test('preconnect opens a connection before anything is named there', async () => {
  await using other = await startFiles({ '/late.png': 'x' });
  const files: Files = {
    '/': [
      '<link rel=stylesheet href=a.css>',
      { Link: `<${other.origin}>; rel=preconnect`, 'Content-Type': 'text/html' },
    ],
    '/a.css': `body{background:url(${other.origin}/late.png)}`,
  };
  const held: Array<() => void> = [];
  await using server = await startFiles(files, {
    onRequest(request, connection) {
      const answer = () => connection.write(answerTo(request, files));
      if (request.path === '/a.css') held.push(answer);
      else answer();
    },
  });
  const loading = loadPage(server.origin);
  await eventually(() => other.connections.length === 1, 'a connection');
  expect(other.requests).toEqual([]);
  await eventually(() => held.length === 1, 'the request for the sheet');
  held[0]?.();
  const page = await loading;
  expect(pathsOf(other.requests)).toEqual(['/late.png']);
  expect(other.connections).toHaveLength(1);
  expect(page.totals.errors).toBe(0);
});

describe('a revisit', () => {
  const files: Files = {
    '/': '<link rel=stylesheet href=a.css><script type=module src=m.js></script><p>text',
    '/a.css': 'p{background:url(x.png)}',
    '/m.js': 'import "./n.js"',
    '/n.js': '',
    '/x.png': 'image',
  };
  const all = ['/', '/a.css', '/m.js', '/n.js', '/x.png'];

  it('validates what stored sheets and modules name, before anything is answered', async () => {
    let isRevisit = false;
    const waiting: Array<() => void> = [];
    await using server = await startFiles(files, {
      onRequest(request, connection) {
        const answer = () => connection.write(answerTo(request, files));
        if (!isRevisit) {
          answer();
          return;
        }
        waiting.push(answer);
        if (waiting.length === all.length) for (const each of waiting) each();
      },
    });
    const kept = keptCache();
    const options: LoaderOptions = { protocol: 'pipelined', cache: kept.cache };
    await loadPage(server.origin, options);
    isRevisit = true;
    const page = await loadPage(server.origin, options);
    expect(page.totals).toMatchObject({ requests: all.length, notModified: all.length, errors: 0 });
  });

  it('takes from a sheet that changed what it names now', async () => {
    const kept = keptCache();
    const now = { ...files };
    await using server = await startFiles(now);
    const options: LoaderOptions = { protocol: 'pipelined', cache: kept.cache };
    await loadPage(server.origin, options);
    now['/a.css'] = '/* new */p{background:url(y.png)}';
    now['/y.png'] = 'another image';
    const page = await loadPage(server.origin, options);
    const used = page.resources.filter(({ purpose }) => purpose === 'use');
    expect(used.map(({ url }) => new URL(url).pathname).sort()).toEqual(
      ['/', '/a.css', '/m.js', '/n.js', '/y.png'].sort(),
    );
  });
});

/** The beginning of a GIF: its size is all that is read. */
const gifOf = (width: number, height: number): string =>
  `GIF89a${String.fromCharCode(width % 256, width >> 8, height % 256, height >> 8, 0, 0, 0)}`;

describe('the first view', () => {
  /**
   * The slow one is answered when the other response has been read. What is behind a `|` in the page comes when something
   * before it has been asked for.
   */
  async function timed(html: string, slow: string, more: Files = {}) {
    const files: Files = { '/': html, '/a.css': '', '/late.css': '', ...more };
    const held: Array<() => void> = [];
    let read = 0;
    let rest = () => {};
    const release = () => {
      if (read >= 2) for (const answer of held.splice(0)) answer();
    };
    await using server = await startFiles(files, {
      onRequest(request, connection) {
        const answer = () => connection.write(answerTo(request, files));
        if (request.path === '/') {
          const [begin = '', end] = String(answerTo(request, files)).split('|');
          connection.write(begin);
          if (end !== undefined) rest = () => connection.write(`${end} `);
          return;
        }
        rest();
        rest = () => {};
        if (request.path === slow) held.push(answer);
        else answer();
        release();
      },
    });
    const { timing } = await loadPage(server.origin, {
      protocol: 'persistent',
      onProgress: ({ done }) => {
        read = done;
        release();
      },
    });
    return timing;
  }

  it('waits for what blocks rendering, not for what comes last', async () => {
    const html = '<link rel=stylesheet href=a.css><link rel=stylesheet media=print href=late.css>';
    const blocked = await timed(html, '/a.css');
    expect(blocked.firstViewMs).toBe(blocked.completeMs);
    const free = await timed(html, '/late.css');
    expect(free.firstViewMs).toBeLessThan(free.completeMs as number);
  });

  it.each([
    ['a link', '<link rel=preload as=style href=a.css>', {}],
    ['a header', '', { Link: '</a.css>;rel=preload;as=style' }],
  ])('waits for a sheet that %s preloads', async (_, preload, headers) => {
    const html = `${preload}|<link rel=stylesheet href=a.css><img src=/late.css>`;
    const { firstViewMs, completeMs } = await timed(html, '/a.css', { '/': [html, headers] });
    expect(firstViewMs).toBe(completeMs);
  });

  it('waits for an image that is preloaded and shown, not for one that is preloaded alone', async () => {
    const preload = '<link rel=preload as=image href=i.gif><link rel=stylesheet href=a.css>';
    const gif = { '/i.gif': gifOf(10, 10) };
    const shown = await timed(`${preload}|<img src=i.gif>`, '/i.gif', gif);
    expect(shown.firstViewMs).toBe(shown.completeMs);
    const hidden = await timed(preload, '/i.gif', gif);
    expect(hidden.firstViewMs).toBeLessThan(hidden.completeMs as number);
  });

  it('waits for the images whose areas fill the view, no more (docs/loader.md)', async () => {
    const html = '<img src=1.gif><img src=2.gif>';
    const second = async (width: number, height: number) => {
      const gifs = { '/1.gif': gifOf(width, height), '/2.gif': gifOf(1, 1) };
      const { firstViewMs, completeMs } = await timed(html, '/2.gif', gifs);
      return firstViewMs === completeMs;
    };
    expect(await second(1280, 799)).toBe(true);
    expect(await second(1280, 800)).toBe(false);
    // It is shown as wide as the view.
    expect(await second(2560, 1599)).toBe(true);
    expect(await second(2560, 1600)).toBe(false);
  });

  it('is unknown if the page did not come', async () => {
    await using server = await startFiles({}, { onRequest: (_, connection) => connection.reset() });
    const { timing } = await loadPage(server.origin);
    expect(timing.firstViewMs).toBeNull();
  });
});

describe('Content-Security-Policy of a response (CSP 3, 3.1)', () => {
  const html =
    '<link rel=stylesheet href=s.css><img src=i.png><script src=j.js></script><p>text<iframe src=f.html></iframe>';
  const files = (policy: string, rest: Files = {}): Files => ({
    '/': [html, { 'Content-Security-Policy': policy }],
    '/s.css': '@font-face{font-family:f;src:url(f.woff2)}p{background:url(b.png);font-family:f}',
    '/f.html': '<img src=framed.png>',
    ...rest,
  });

  it.each<[string, string[]]>([
    ["img-src 'none'", ['/s.css', '/f.woff2', '/j.js', '/f.html', '/framed.png']],
    ["script-src 'nonce-x'", ['/s.css', '/f.woff2', '/i.png', '/b.png', '/f.html', '/framed.png']],
    ["style-src 'none', script-src 'none'", ['/i.png', '/f.html', '/framed.png']],
    ["default-src 'none'", []],
    [
      "default-src 'self'; font-src 'none'",
      ['/s.css', '/i.png', '/j.js', '/b.png', '/f.html', '/framed.png'],
    ],
  ])('%s', async (policy, expected) => {
    const { paths } = await loaded(files(policy), { discovery: { also: ['frames'] } });
    expect(paths.sort()).toEqual(['/', ...expected].sort());
  });

  it('of a frame is for the frame', async () => {
    const policy = { 'content-security-policy': "img-src 'none'" };
    const frame: Files = { '/f.html': ['<img src=framed.png>', policy] };
    const { paths } = await loaded(files('', frame), { discovery: { also: ['frames'] } });
    expect(paths).toContain('/i.png');
    expect(paths).not.toContain('/framed.png');
  });

  it('allows what a Link field names with its nonce', async () => {
    const link = ['a', 'b'].map((name) => `</${name}.js>; rel=preload; as=script; nonce=${name}`);
    const fields = { 'Content-Security-Policy': "script-src 'nonce-b'", Link: link.join(', ') };
    const { paths } = await loaded({ '/': ['', fields] });
    expect(paths).toEqual(['/', '/b.js']);
  });
});
