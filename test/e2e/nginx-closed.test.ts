// The files of examples/nginx in sites that let not everybody in: a stranger gets of closed pages what he got without us,
// and no word of their rules; who may read them gets both, with all fields that the site sends. Real nginx; skipped by
// name where it is absent.

import { once } from 'node:events';
import { cpSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { type IncomingHttpHeaders, request } from 'node:http';
import { request as requestByTls } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { access, type Running, running } from '../prefetchd/service/ask.ts';
import { eventually } from '../support/eventually.ts';
import { type Nginx, type NginxPlace, startNginx, whyNoNginx } from '../support/nginx.ts';
import { makeTestCertificate, type TestCertificate } from '../support/tls.ts';
import { type App, hostOf, startApp } from './nginx-set-up.ts';

interface Person {
  from?: string;
  headers?: Record<string, string>;
  hasCertificate?: boolean;
}

interface Closed {
  /** Of the location of closed pages, before and behind what we add. */
  rules?: string;
  rulesBehind?: string;
  server?: string;
  http?: string;
  content?: string;
  location?: string;
  isTls?: boolean;
  members: Person[];
}

const known: Person = { from: '127.0.0.9' };
const signedIn: Person = { headers: { Authorization: `Basic ${btoa('anna:secret')}` } };
const withCookie: Person = { headers: { Cookie: 'session=good' } };
const withCertificate: Person = { hasCertificate: true };

const addresses = 'allow 127.0.0.9; deny all;';
const passwords = 'auth_basic closed; auth_basic_user_file passwords;';
const own = 'auth_request /auth;';
const certificate = 'if ($ssl_client_verify != SUCCESS) { return 403; }';
const files = 'root files; try_files $uri $uri/ /closed/index.html;';

const either = `satisfy any; ${addresses} ${passwords}`;
const byPassword: Closed = { rules: passwords, members: [signedIn] };
const byCertificate: Closed = { isTls: true, members: [withCertificate] };

const sites: Record<string, Closed> = {
  'allow and deny': { rules: addresses, members: [known] },
  auth_basic: byPassword,
  "the site's own auth_request": { rules: own, members: [withCookie] },
  'satisfy any of allow, deny and auth_basic': { rules: either, members: [known, signedIn] },
  'satisfy any of allow, deny and its own auth_request': {
    rules: `satisfy any; ${addresses} ${own}`,
    members: [known, withCookie],
  },
  'satisfy any of all three, for the whole server': {
    server: `satisfy any; ${addresses} ${passwords} ${own}`,
    members: [known, signedIn, withCookie],
  },
  'satisfy all of all three': {
    rules: `satisfy all; ${addresses} ${passwords} ${own}`,
    members: [{ ...known, headers: { ...signedIn.headers, ...withCookie.headers } }],
  },
  'auth_basic for files with try_files': { ...byPassword, content: files },
  'satisfy any for files with try_files': {
    ...{ rules: either, content: files, members: [known, signedIn] },
  },
  'auth_basic for one page, by its exact name': { ...byPassword, location: '= /closed/a' },
  'auth_basic for pages by a pattern': { ...byPassword, location: '~ ^/closed/[a-z]$' },
  'client certificates for all': { ...byCertificate, server: 'ssl_verify_client on;' },
  'client certificates for some, asked for before our lines': {
    ...{ ...byCertificate, server: 'ssl_verify_client optional;', rules: certificate },
  },
  'client certificates for some, asked for behind our lines': {
    ...{ ...byCertificate, server: 'ssl_verify_client optional;', rulesBehind: certificate },
  },
  'fields of the site in http': {
    http: 'add_header X-Of-Http yes; add_header Speculation-Rules $prefetchd_rules;',
    ...byPassword,
  },
};

const ofSite: Record<string, string> = {
  'strict-transport-security': 'max-age=31536000',
  'content-security-policy': "default-src 'self'",
  'x-frame-options': 'DENY',
};
const examples = fileURLToPath(new URL('../../examples/nginx/', import.meta.url));

/** What strangers try, to hear of the rules of closed pages. */
const tricks: Array<[target: string, headers?: Record<string, string>]> = [
  ['/closed/a?prefetchd-rules'],
  ['/closed/a?x=1&prefetchd-rules'],
  ['/%63losed/a?prefetchd-rules'],
  ['//closed/a?prefetchd-rules'],
  ['/open/../closed/a?prefetchd-rules'],
  ['/open/..%2fclosed/a?prefetchd-rules'],
  ['/open\\..\\closed/a?prefetchd-rules'],
  ['/closed/a&prefetchd-rules'],
  ['/open?/closed/a?prefetchd-rules'],
  ['/open?prefetchd-rules', { Referer: 'http://site/closed/a' }],
  ['/open?prefetchd-rules', { 'X-Original-URI': '/closed/a?prefetchd-rules' }],
  ['/open?prefetchd-rules', { 'X-Accel-Redirect': '/closed/a', 'X-Rewrite-URL': '/closed/a' }],
  ['/_prefetchd/rules', { 'X-Original-URI': '/closed/a?prefetchd-rules' }],
  ['/_prefetchd/rules?url=/closed/a'],
  ['/_prefetchd/learn'],
  ['/v1/speculation-rules?url=/closed/a'],
  ['/v1/page-rules?nginx', { 'X-Original-URI': '/closed/a?prefetchd-rules' }],
];

describe.skipIf(whyNoNginx)(`closed sites behind nginx ${whyNoNginx}`, () => {
  let app: App;
  let service: Running;
  let tls: TestCertificate;
  beforeAll(async () => {
    app = await startApp();
    tls = await makeTestCertificate();
    service = await running();
    const visits = ['/closed/a', '/closed/b'].map((url) => access('192.0.2.1 x', url));
    await service.post('/v1/accesses', visits);
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    await app[Symbol.asyncDispose]();
  });

  function start(site: Closed, isOurs: boolean): Promise<Nginx> {
    const ours = (text: string) => (isOurs ? text : '');
    return startNginx(({ folder, port }: NginxPlace) => {
      cpSync(examples, folder, { recursive: true });
      writeFileSync(join(folder, 'passwords'), 'anna:{PLAIN}secret\n');
      for (const [name, pem] of Object.entries(tls)) writeFileSync(join(folder, name), pem);
      mkdirSync(join(folder, 'files/closed'), { recursive: true });
      const file = join(folder, 'files/closed/index.html');
      writeFileSync(file, '<p>closed');
      utimesSync(file, 1e9, 1e9); // the same with us and without
      const withTls = `ssl_certificate cert; ssl_certificate_key key; ssl_client_certificate cert;`;
      const fields = Object.entries(ofSite).map(([name, text]) => `add_header ${name} "${text}";`);
      const content = site.content?.replace('files', join(folder, 'files'));
      const isInHttp = site.http !== undefined;
      return `access_log off; default_type text/html; ${ours(`upstream prefetchd { server ${hostOf(service.url)}; } include prefetchd-http.conf;`)}
        ${isInHttp ? fields.join(' ') : ''} ${isOurs ? (site.http ?? '') : ''}
        server {
          listen 127.0.0.1:${port} ${site.isTls ? `ssl; ${withTls}` : ';'}
          ${site.server ?? ''}
          ${isInHttp ? '' : fields.join(' ')}
          ${ours('include prefetchd-server.conf; mirror /_prefetchd/learn; mirror_request_body off;')}
          ${isInHttp ? '' : ours('add_header Speculation-Rules $prefetchd_rules;')}
          location / { ${ours('include prefetchd-page.conf;')} proxy_pass http://${app.address}; }
          location ${site.location ?? '/closed/'} {
            ${site.rules ?? ''} ${ours('include prefetchd-page.conf;')} ${site.rulesBehind ?? ''}
            ${content ?? `proxy_pass http://${app.address};`}
          }
          location = /auth {
            internal;
            if ($cookie_session = good) { return 204; }
            return 401;
          }
        }`;
    });
  }

  async function ask(nginx: Nginx, path: string, { isTls }: Closed, person: Person = {}) {
    const { from = '127.0.0.2', headers = {}, hasCertificate } = person;
    const browser = { 'User-Agent': 'Mozilla/5.0 Firefox/130.0', Accept: 'text/html' };
    const sent = (isTls ? requestByTls : request)({
      ...{ host: '127.0.0.1', port: nginx.port, path, localAddress: from, agent: false },
      headers: { Host: 'site', ...browser, ...headers },
      ...{ rejectUnauthorized: false, ...(hasCertificate && tls) },
    });
    sent.end();
    const [response] = await once(sent, 'response');
    const { date: _, ...fields }: IncomingHttpHeaders = response.headers;
    return { status: response.statusCode as number, headers: fields, body: await text(response) };
  }

  describe.each(Object.entries(sites))('%s', (name, site) => {
    let plain: Nginx;
    let nginx: Nginx;
    beforeAll(async () => {
      plain = await start(site, false);
      nginx = await start(site, true);
    });
    afterAll(async () => {
      await plain[Symbol.asyncDispose]();
      await nginx[Symbol.asyncDispose]();
    });

    it('a stranger gets what he got without us, and is not learned from', async () => {
      const learned = service.prefetchd.stats().learned.document;
      const before = await ask(plain, '/closed/a', site);
      expect([400, 401, 403]).toContain(before.status);
      expect(await ask(nginx, '/closed/a', site)).toEqual(before);
      expect((await ask(nginx, '/closed/a?prefetchd-rules', site)).status).toBe(before.status);
      expect(service.prefetchd.stats().learned.document).toBe(learned);
    });

    it('a stranger hears nothing of the rules of a closed page', async () => {
      for (const [target, headers = {}] of tricks) {
        const said = await ask(nginx, target, site, { headers });
        expect(JSON.stringify(said), target).not.toContain('/closed/b');
      }
    });

    it('who may read it gets the page, with the fields of the site, and its rules', async () => {
      for (const member of site.members) {
        const before = await ask(plain, '/closed/a', site, member);
        const page = await ask(nginx, '/closed/a', site, member);
        expect(page).toMatchObject({ status: 200, body: before.body, headers: before.headers });
        const named = { 'speculation-rules': '"?prefetchd-rules"' };
        expect(page.headers).toMatchObject({ ...ofSite, ...named });
        const rules = await ask(nginx, '/closed/a?prefetchd-rules', site, member);
        expect([rules.status, rules.body]).toEqual([200, expect.stringContaining('/closed/b')]);
        expect(rules.headers).toMatchObject({
          ...{ 'content-type': 'application/speculationrules+json', ...ofSite },
          'cache-control': 'no-cache',
        });
      }
    });

    it('a copy of each request teaches once, whatever nginx does within', async () => {
      const person = site.members.find(({ headers }) => headers?.Authorization === undefined);
      if (person === undefined) return; // Authorization is never learned from
      // Somebody new, each time: an access said twice is a repeat, which is counted as such.
      const browser = `Mozilla/5.0 Firefox/${100 + Object.keys(sites).indexOf(name)}.0`;
      const moved = { ...person, headers: { ...person.headers, 'User-Agent': browser } };
      const told = () => {
        const { learned, notLearned } = service.prefetchd.stats();
        return learned.document + (notLearned.repeat ?? 0);
      };
      const before = told();
      await ask(nginx, '/closed/a', site, moved);
      await ask(nginx, '/closed/', site, moved); // of files: index.html, by a redirect within nginx
      await eventually(() => told() >= before + 2);
      expect(told()).toBe(before + 2);
    });
  });
});
