// A holdback's report for a terminal of 80 columns.

import type { HoldbackReport } from './report.ts';
import {
  bytesOf,
  devicesIn,
  differenceOf,
  explanationOf,
  figureOf,
  headlineOf,
  intervalOf,
  nameOf,
} from './report-words.ts';

const titles = ['', 'hints', 'held back', 'difference', '95 % interval'] as const;
const widths = [29, 9, 10, 14, 18] as const;

export function reportText(report: HoldbackReport): string {
  const lines = [headlineOf(report), '', ...wrapped(explanationOf(report)), ''];
  for (const { device, navigations, measures } of devicesIn(report.hinted)) {
    const { hinted, heldBack } = navigations;
    lines.push(row([`${device}: ${hinted} and ${heldBack}`, ...titles.slice(1)]));
    for (const measure of measures) {
      const { hinted, heldBack } = measure;
      const values = [figureOf(measure, hinted), figureOf(measure, heldBack)];
      lines.push(
        row([`  ${nameOf(measure)}`, ...values, differenceOf(measure), intervalOf(measure)]),
      );
    }
    lines.push('');
  }
  lines.push(...wrapped(bytesOf(report)));
  return `${lines.join('\n')}\n`;
}

function row(cells: readonly string[]): string {
  const [name = '', ...values] = cells;
  const padded = values.map((value, at) => value.padStart(widths[at + 1] ?? 0));
  return (name.padEnd(widths[0]) + padded.join('')).trimEnd();
}

const longestLine = 78;

function wrapped(text: string): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + word.length >= longestLine) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
