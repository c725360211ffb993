// Reads a recorded page: an HTTP Archive (HAR 1.2) with bodies, as `loadahead record` writes it or the network panel of
// a browser saves it. Of each URL one response is kept, a whole one with body if there is one. What cannot be served is
// counted, so that nobody takes what a recording lacks for a fault of the page.

import { readFile, stat } from 'node:fs/promises';
import { fieldValue, type HeaderPair, withoutFields } from '../../http/header-pairs.ts';
import { listOf, number, oneOf, text } from '../../options/kinds.ts';
import {
  checked,
  looseObjectOf,
  optionWithoutDefault,
  required,
  type ValueOf,
} from '../../options/options.ts';
import { fileFailure } from '../../process/file-failure.ts';
import { ServerError } from '../errors.ts';

/** A response as it was recorded. */
export type RecordedResponse = ReturnType<typeof recordedOf>;

export type Recording = ReturnType<typeof parseRecording>;

/** Largest file that is read. A larger one is a mistake or an attack, and no string of V8 is longer than 512 MiB. */
const mostFileBytes = 500 * 1024 * 1024;
const mostEntries = 10_000;
const mostFields = 1_000;

const aText = (rule: string) => required(text({ rule }));
const field = looseObjectOf({ name: aText('a name'), value: aText('a string') });
const content = looseObjectOf({
  /** The body; absent if the file was saved without bodies. */
  text: optionWithoutDefault(text({ rule: 'a string' })),
  encoding: optionWithoutDefault(oneOf(['base64', ''])),
});
const harRequest = looseObjectOf({ method: aText('a method'), url: aText('a URL') });
const harResponse = looseObjectOf({
  status: required(number({ least: -1, most: 999 })),
  headers: required(listOf(field, 'a list of { name, value }', mostFields)),
  content: required(content),
});
const entry = looseObjectOf({ request: required(harRequest), response: required(harResponse) });
const entries = required(listOf(entry, 'a list of entries', mostEntries));
const archive = looseObjectOf({ log: required(looseObjectOf({ entries })) });

/** Reads a recording from a file. @throws ServerError 'recording-unreadable' */
export async function readRecording(path: string): Promise<Recording> {
  const fail = (cause: unknown) => refuse(fileFailure(path, 'read', cause), cause);
  const { size } = await stat(path).catch(fail);
  if (size > mostFileBytes) refuse(`${path} is over ${mostFileBytes / 2 ** 20} MiB`);
  return parseRecording(await readFile(path, 'utf8').catch(fail), path);
}

/** Reads a recording from text. @param name The file's name, for messages @throws ServerError 'recording-unreadable' */
export function parseRecording(content: string, name: string) {
  /** Entries that cannot be served: other methods and schemes, no response, a body that the file lacks. */
  const leftOut = { methods: 0, schemes: 0, failed: 0, bodies: 0 };
  const best = new Map<string, RecordedResponse>();
  for (const { request, response } of entriesOf(content, name)) {
    const url = URL.parse(request.url);
    const { status } = response;
    if (url === null || !/^https?:$/.test(url.protocol)) leftOut.schemes++;
    else if (request.method !== 'GET') leftOut.methods++;
    else if (!Number.isInteger(status) || status < 200 || status > 599) leftOut.failed++;
    else {
      url.hash = '';
      const recorded = recordedOf(url, response);
      const known = best.get(url.href);
      if (known === undefined || worth(recorded) > worth(known)) best.set(url.href, recorded);
    }
  }
  const responses = [...best.values()];
  leftOut.bodies = responses.filter((each) => lacksBody(each) || each.status === 206).length;
  const [page] = responses; // the first entry is the page, as it was asked for
  if (page === undefined) refuse(`${name} has no response to a GET of http or https`);
  if (responses.every(({ body }) => body === null)) {
    const remedy = 'save it with content, or record the page with loadahead record';
    refuse(`${name} has no bodies: ${remedy}`);
  }
  return { url: page.url, responses, leftOut };
}

/** Returns whether the recording lacks the body that the response should have. */
export const lacksBody = ({ status, body }: RecordedResponse): boolean =>
  body === null && status !== 204 && status !== 205 && (status < 300 || status >= 400);

/** Returns a number by which the responses to one URL are ranked, the highest for a whole one with its body. */
function worth({ status, body }: RecordedResponse): number {
  if (status === 304) return 0;
  return (body === null ? 1 : 2) + (status === 206 ? 0 : 2);
}

function entriesOf(content: string, name: string) {
  let json: unknown;
  try {
    json = JSON.parse(content.replace(/^\ufeff/, ''));
  } catch (cause) {
    refuse(`${name} is not JSON: ${(cause as Error).message}`, cause);
  }
  const fail = (sentence: string) => refuse(`${name} is no HTTP Archive: ${sentence}`);
  return checked(archive, json, fail, { name: 'it' }).log.entries;
}

function recordedOf(
  url: URL,
  { status, headers, content: { text, encoding } }: ValueOf<typeof harResponse>,
) {
  // Browsers save text as characters, whatever its bytes were, so it is served in UTF-8.
  const isText = text !== undefined && encoding !== 'base64';
  /** The body without content coding; null: the recording has none. */
  const body = text === undefined ? null : Buffer.from(text, isText ? 'utf8' : 'base64');
  const fields = headers.map(({ name, value }): HeaderPair => {
    const lower = name.toLowerCase();
    const isCoded = isText && lower === 'content-type';
    return [lower, isCoded ? value.replace(/(;\s*charset=)[^;]*/i, '$1utf-8') : value];
  });
  // Browsers ask for media by ranges, often for one that is the whole, which then counts as a 200.
  const [, last, size] = /^bytes 0-(\d+)\/(\d+)$/.exec(fieldValue(fields, 'content-range')) ?? [];
  const isWhole = status === 206 && Number(last) + 1 === Number(size);
  const kept = isWhole ? withoutFields(fields, new Set(['content-range'])) : fields;
  return { url, status: isWhole ? 200 : status, headers: kept, body };
}

function refuse(message: string, cause?: unknown): never {
  throw new ServerError('recording-unreadable', message, { cause });
}
