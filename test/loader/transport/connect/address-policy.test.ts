// Which addresses a loader inside a service may connect to (RFC 6890 and the registries it began),
// by the function and through whole loads: a refused address sees no connection.

import { describe, expect, it } from 'vitest';
import { isPublicAddress } from '../../../../http/public-address.ts';
import { loadPage } from '../../../../loader/index.ts';
import { lookupPublic } from '../../../../loader/transport/connect/public-addresses.ts';
import { answering, response, startRawServer } from '../../../support/raw-server.ts';

const refused: Array<[why: string, addresses: string[]]> = [
  ['this network (RFC 791)', ['0.0.0.0', '0.1.2.3', '0.255.255.255']],
  [
    'private use (RFC 1918)',
    ['10.0.0.0', '10.255.255.255', '172.16.0.1', '172.31.255.255', '192.168.0.1'],
  ],
  ['carrier-grade NAT (RFC 6598)', ['100.64.0.1', '100.127.255.255']],
  ['loopback (RFC 1122)', ['127.0.0.1', '127.1.2.3', '127.255.255.255']],
  ['link local, metadata services (RFC 3927)', ['169.254.0.1', '169.254.169.254']],
  ['protocol assignments (RFC 6890)', ['192.0.0.1', '192.0.0.8', '192.0.0.170', '192.0.0.192']],
  ['documentation (RFC 5737)', ['192.0.2.1', '198.51.100.1', '203.0.113.255']],
  ['6to4 relays (RFC 7526)', ['192.88.99.1']],
  ['benchmarking (RFC 2544)', ['198.18.0.1', '198.19.255.255']],
  ['multicast (RFC 5771)', ['224.0.0.1', '239.255.255.255']],
  ['reserved, broadcast (RFC 1112, RFC 919)', ['240.0.0.1', '255.255.255.254', '255.255.255.255']],
  ['unspecified and loopback (RFC 4291)', ['::', '::1', '0:0:0:0:0:0:0:1']],
  [
    'IPv4-mapped (RFC 4291)',
    ['::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:10.0.0.1', '::ffff:a9fe:a9fe'],
  ],
  ['IPv4-compatible, deprecated (RFC 4291)', ['::127.0.0.1', '::7f00:1', '::808:808', '::2']],
  ['IPv4-translated (RFC 2765)', ['::ffff:0:127.0.0.1']],
  ['NAT64 (RFC 6052, RFC 8215)', ['64:ff9b::7f00:1', '64:ff9b::808:808', '64:ff9b:1::a00:1']],
  ['discard only (RFC 6666)', ['100::1']],
  [
    '6to4 and Teredo (RFC 3056, RFC 4380)',
    ['2002:7f00:1::', '2002:808:808::1', '2001::1', '2001:0:4136:e378::1'],
  ],
  ['protocol assignments (RFC 2928)', ['2001:2::1', '2001:10::1', '2001:20::1', '2001:1ff::1']],
  ['documentation (RFC 3849, RFC 9637)', ['2001:db8::1', '3fff::1']],
  ['segment routing (RFC 9602)', ['5f00::1']],
  ['unique local (RFC 4193)', ['fc00::', 'fc00::1', 'fd12:3456::1']],
  ['link local (RFC 4291)', ['fe80::1', 'fe80::1%lo', 'fe80::1%eth0', 'febf::1']],
  ['site local, deprecated (RFC 3879)', ['fec0::1', 'feff::1']],
  ['multicast (RFC 4291)', ['ff00::1', 'ff02::1']],
  [
    'not assigned (RFC 4291 2.4: global unicast is 2000::/3)',
    ['4000::1', '1fff::1', 'a000::1', '200::1', '1::'],
  ],
  ['no address', ['', 'localhost', 'a.example', '127.0.0.1:80', '[::1]', '%', ' ']],
];

const accepted =
  '1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0 169.253.255.255 172.15.255.255 172.32.0.0 192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0 223.255.255.255 ::ffff:8.8.8.8 2000::1 2001:200::1 2001:4860:4860::8888 2003::1 2606:4700:4700::1111 2a00:1450:4001::1 3ffe::1'.split(
    ' ',
  );

describe('isPublicAddress', () => {
  it.each(refused)('%s is not', (_why, addresses) => {
    for (const address of addresses) expect(isPublicAddress(address), address).toBe(false);
  });

  it('the neighbours of every refused block are', () => {
    for (const address of accepted) expect(isPublicAddress(address), address).toBe(true);
  });
});

describe('lookupPublic', () => {
  const look = (name: string, all: boolean): Promise<unknown> =>
    new Promise((resolve) => {
      lookupPublic(name, { all } as never, (error, address) => resolve(error ?? address));
    });

  it.each([true, false])('a name of loopback is refused, with addresses (all: %s)', async (all) => {
    expect(await look('localhost', all)).toMatchObject({
      code: 'address-refused',
      message: expect.stringMatching(/^localhost \((127\.0\.0\.1|::1)/),
    });
  });

  it.each([true, false])('spellings of resolvers are what they mean (all: %s)', async (all) => {
    for (const name of ['127.1', '0x7f.1', '2130706433', '017700000001']) {
      const outcome = (await look(name, all)) as { code?: string };
      expect(['address-refused', 'ENOTFOUND', 'EAI_AGAIN'], name).toContain(outcome.code);
    }
  });

  it('a name that is a public address is that address', async () => {
    expect(await look('8.8.8.8', true)).toEqual([{ address: '8.8.8.8', family: 4 }]);
    expect(await look('8.8.8.8', false)).toBe('8.8.8.8');
  });
});

describe('a load with refusePrivateAddresses', () => {
  const loopback =
    '127.0.0.1 127.1 127.0.1 2130706433 0x7f.1 0x7f000001 0x7F.0.0.0x1 017700000001 0177.0.0.1 127.0.0.1. 127%2e0.0.1 １２７.０.０.１ ①②⑦.0.0.1 0.0.0.0 0 ' +
    '[::ffff:127.0.0.1] [::ffff:7f00:1] [0:0:0:0:0:ffff:127.0.0.1] [::] [::127.0.0.1] localhost LOCALHOST [::1] [0:0:0:0:0:0:0:1]';
  it.each(loopback.split(' '))(
    '%s: address-refused, and the server on loopback sees no connection',
    async (host) => {
      await using server = await answering((_request, connection) =>
        connection.write(response('secret')),
      );
      for (const protocol of ['pipelined', 'h2'] as const) {
        const load = await loadPage(`http://${host}:${server.port}/`, {
          refusePrivateAddresses: true,
          protocol,
        });
        expect(load.resources).toHaveLength(1);
        expect(load.resources[0]).toMatchObject({
          status: null,
          attempts: 0,
          error: {
            code: 'address-refused',
            message: expect.stringContaining('refusePrivateAddresses'),
          },
        });
      }
      expect(server.connections).toHaveLength(0);
    },
  );

  it('names only some resolvers know lead nowhere either', async () => {
    await using server = await startRawServer({});
    for (const host of ['localhost.', 'a.localhost', 'ip6-localhost']) {
      const load = await loadPage(`http://${host}:${server.port}/`, {
        refusePrivateAddresses: true,
      });
      const code = load.resources[0]?.error?.code;
      expect(['address-refused', 'name-not-resolved'], host).toContain(code);
    }
    expect(server.connections).toHaveLength(0);
  });

  it('over TLS too', async () => {
    await using server = await startRawServer({});
    for (const host of ['127.0.0.1', 'localhost']) {
      const load = await loadPage(`https://${host}:${server.port}/`, {
        refusePrivateAddresses: true,
      });
      expect(load.resources[0]?.error?.code).toBe('address-refused');
    }
    expect(server.connections).toHaveLength(0);
  });

  it('an address with a zone is no URL', async () => {
    const load = loadPage('http://[fe80::1%25lo]/', { refusePrivateAddresses: true });
    await expect(load).rejects.toMatchObject({ code: 'invalid-url' });
  });

  it('off by default: loopback is loaded', async () => {
    await using server = await answering((_request, connection) =>
      connection.write(response('fine')),
    );
    const load = await loadPage(`http://127.1:${server.port}/`);
    expect(load.resources[0]).toMatchObject({ status: 200, error: null });
  });
});
