// Gives all advice on one load. It has no side effects: bodies and the results of converting images are passed in.
// Each kind of advice is a function, most in a file of its own; this file lists them.

import type { PageLoad } from '../page-load.ts';
import { closedConnections } from './closed-connections.ts';
import { cssImages } from './css-images.ts';
import { type Audit, byWeight, type Finding, nothing, sumOf } from './finding.ts';
import { imageDimensions, imageTagsOf } from './image-dimensions.ts';
import { imageFormats } from './image-formats.ts';
import { lateResources } from './late-resources.ts';
import { redirects } from './redirects.ts';
import { missingValidators, noLifetime } from './reuse.ts';
import { splitResponses } from './split-responses.ts';
import { loadedOf, noTrials, type Subject, type Trials } from './subject.ts';
import { uncompressedText } from './uncompressed-text.ts';

const allAdvice: readonly ((subject: Subject) => Finding[])[] = [
  uncompressedText,
  cssImages,
  imageFormats,
  lateResources,
  redirects,
  closedConnections,
  splitResponses,
  imageDimensions,
  missingValidators,
  noLifetime,
];

/**
 * Returns all advice on one load.
 * @param bodies Decoded bodies by URL, as passed to `onBody`
 * @param trials Results of converting images; without them there is no advice that needs conversions
 */
export function auditOf(
  load: PageLoad,
  bodies: ReadonlyMap<string, Buffer>,
  trials: Trials = noTrials,
): Audit {
  const loaded = loadedOf(load, bodies);
  const document = loaded.find(({ row }) => row.initiator === null) ?? null;
  const { url = load.url, mimeType = 'text/html' } = document?.row ?? {};
  // A file that is opened by itself, such as JSON or a PDF, is not a page that could load better.
  if (!/html/.test(mimeType)) {
    const why = `the document is ${mimeType || 'of no type'}, not an HTML page: there is no advice on it`;
    const none = { first: nothing, next: nothing };
    return { url, findings: [], saves: none, untried: [why], uncounted: [] };
  }
  const imageTags = document === null ? [] : imageTagsOf(document, loaded);
  const subject = { load, document, loaded, imageTags, trials };
  const findings = allAdvice.flatMap((advice) => advice(subject)).toSorted(byWeight);
  const first = findings.filter(({ visit }) => visit === 'first');
  const next = findings.filter(({ visit }) => visit === 'next');
  return {
    url,
    findings: [...first, ...next],
    saves: { first: sumOf(first), next: sumOf(next) },
    untried: [...trials.untried],
    uncounted: [...trials.untried],
  };
}
