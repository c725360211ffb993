// What transport compression would save in a trace of real traffic (Nielsen, Gettys et al. 1997, 11, leave that to
// others): the EPA's server log of August 1995, from before servers compressed. A log has the bytes of each response but
// not the bodies, so the ratios are those of saved pages cut to the same size.

import { readFileSync } from 'node:fs';
import { deflateSync, gunzipSync } from 'node:zlib';
import { epaLog } from '../paths.ts';
import type { Cell, Table } from '../result.ts';
import { codecDocuments } from './codec-cost.ts';

const kinds = {
  HTML: /(?:\/|\.html?)$/i,
  'plain text': /\.txt$/i,
  'images, archives, programs, PDF': /\.(?:gif|jpe?g|xbm|mpe?g|zip|gz|z|exe|pdf)$/i,
  'others, mostly without an extension': /$/,
};
type Kind = keyof typeof kinds;

interface Traffic {
  responses: number;
  bytes: number;
  /** The same deflated, estimated as if it were HTML. */
  deflated: number;
}

export interface TraceSavings {
  table: Table;
  /** Share of all bytes that deflating the HTML and the plain text saves. */
  saved: number;
}

export function traceSavings(): TraceSavings {
  const traffic = new Map<Kind, Traffic>();
  for (const line of gunzipSync(readFileSync(epaLog)).toString('latin1').split('\n')) {
    const [, url = '', size = ''] = /"GET (\S+)[^"]*" 200 (\d+)$/.exec(line) ?? [];
    if (size === '') continue;
    const path = url.split('?')[0] as string;
    const [kind] = Object.entries(kinds).find(([, names]) => names.test(path)) as [Kind, RegExp];
    const { responses, bytes, deflated } = traffic.get(kind) ?? empty;
    traffic.set(kind, {
      responses: responses + 1,
      bytes: bytes + Number(size),
      deflated: deflated + Number(size) * ratioAt(Number(size)),
    });
  }
  const rows = (Object.keys(kinds) as Kind[]).map((kind) => ({
    kind,
    ...(traffic.get(kind) ?? empty),
  }));
  const all = rows.reduce((sum, { bytes }) => sum + bytes, 0);
  const isText = (kind: Kind) => kind === 'HTML' || kind === 'plain text';
  const saving = rows
    .filter(({ kind }) => isText(kind))
    .map(({ bytes, deflated }) => bytes - deflated);
  return {
    saved: saving.reduce((sum, bytes) => sum + bytes, 0) / all,
    table: {
      title: "Section 11: what deflate would save in a day's traffic of 1995",
      columns: [
        { name: 'kind', meaning: 'by the end of the path', text: true },
        { name: 'responses', meaning: 'GET with status 200', digits: 0 },
        { name: 'MB', meaning: '1,000,000 bytes, as logged', digits: 1 },
        { name: '% of bytes', meaning: 'of all in the table', digits: 1 },
        {
          name: 'ratio',
          meaning:
            'estimated, deflated over logged bytes: that of saved HTML pages cut to the same sizes; -: taken as incompressible, or not known',
        },
        { name: 'saved %', meaning: 'estimated, of all bytes in the table', digits: 1 },
      ],
      rows: rows.map(({ kind, responses, bytes, deflated }): Cell[] => [
        ...[kind, responses, bytes / 1e6, (100 * bytes) / all],
        ...(isText(kind) ? [deflated / bytes, (100 * (bytes - deflated)) / all] : [null, null]),
      ]),
    },
  };
}

const empty: Traffic = { responses: 0, bytes: 0, deflated: 0 };

/** Deflated over plain bytes of HTML, by the power of two next below the size; the mean of many pieces. */
const ratios = new Map<number, number>();

function ratioAt(size: number): number {
  const power = Math.min(Math.max(Math.floor(Math.log2(Math.max(size, 1))), 6), 17);
  const known = ratios.get(power);
  if (known !== undefined) return known;
  const html = codecDocuments().get('1 MB of saved pages') as Buffer;
  const length = 2 ** power;
  const step = Math.max(length, Math.floor(html.length / 64));
  let deflated = 0;
  let plain = 0;
  for (let at = 0; at + length <= html.length; at += step) {
    deflated += deflateSync(html.subarray(at, at + length)).length;
    plain += length;
  }
  ratios.set(power, deflated / plain);
  return deflated / plain;
}
