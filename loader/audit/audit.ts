// Gives all advice on one load. It has no side effects: the bodies and the results of trials on them are passed in.

import type { PageLoad } from '../page-load.ts';
import { closedConnections } from './closed-connections.ts';
import { cssImages } from './css-images.ts';
import { type Audit, byWeight, type Finding, nothing, type Savings, sumOf } from './finding.ts';
import { imageDimensions } from './image-dimensions.ts';
import { imageFormats } from './image-formats.ts';
import { imageTagsOf } from './image-tags.ts';
import { lateResources } from './late-resources.ts';
import { missingValidators } from './missing-validators.ts';
import { noLifetime } from './no-lifetime.ts';
import { noRanges } from './no-ranges.ts';
import { redirects } from './redirects.ts';
import { separateSegments } from './separate-segments.ts';
import { loadedOf, noTrials, type Subject, type Trials } from './subject.ts';
import { tagCase } from './tag-case.ts';
import { uncompressedText } from './uncompressed-text.ts';

/**
 * @param bodies Decoded bodies by URL, as passed to `onBody`
 * @param trials Results of converting images and of requesting a range; without them there is no advice on these
 */
export function auditOf(
  load: PageLoad,
  bodies: ReadonlyMap<string, Buffer>,
  trials: Trials = noTrials,
): Audit {
  const subject = subjectOf(load, bodies, trials);
  const { url = load.url, mimeType = 'text/html' } = subject.document?.row ?? {};
  // A file that is opened by itself, such as JSON or a PDF, is not a page that could load better.
  if (!/html/.test(mimeType)) {
    const why = `the document is ${mimeType || 'of no type'}, not an HTML page: there is no advice on it`;
    const none = { first: nothing, next: nothing };
    return { url, findings: [], saves: none, untried: [why], uncounted: [] };
  }
  const drawn = cssImages(subject);
  // An image that CSS can draw needs no other format.
  const apart = new Set(drawn?.items.map(({ url }) => url));
  const findings = [
    uncompressedText(subject),
    drawn,
    ...imageFormats(subject, apart),
    lateResources(subject, apart),
    redirects(subject),
    closedConnections(subject),
    separateSegments(subject),
    tagCase(subject),
    imageDimensions(subject),
    noRanges(subject),
    missingValidators(subject),
    noLifetime(subject),
  ].flatMap((finding) => finding ?? []);
  const of = (visit: Finding['visit']) =>
    findings.filter((finding) => finding.visit === visit).toSorted(byWeight);
  const [first, next] = [of('first'), of('next')];
  return {
    url,
    findings: [...first, ...next],
    saves: { first: total(first), next: total(next) },
    untried: [...trials.untried],
    uncounted: [...trials.uncounted],
  };
}

function subjectOf(load: PageLoad, bodies: ReadonlyMap<string, Buffer>, trials: Trials): Subject {
  const loaded = loadedOf(load, bodies);
  const document = loaded.find(({ row }) => row.initiator === null) ?? null;
  const imageTags = document === null ? [] : imageTagsOf(document, loaded);
  return { load, document, loaded, imageTags, trials };
}

/** Total of the findings, which have no byte, request or round trip in common. */
function total(findings: readonly Finding[]): Savings {
  const roundTrips = findings.reduce((sum, { saves }) => sum + saves.roundTrips, 0);
  return { ...sumOf(findings), roundTrips };
}
