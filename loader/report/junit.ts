// Renders an audit as JUnit XML, the format in which CI systems show tests (it is no standard; this is the part that
// Jenkins, GitLab and GitHub actions read). A page that did not load, a resource that failed and an exceeded budget are
// failed tests; advice is the output of a passed test.

import type { BudgetLine } from '../audit/budget/budget-check.ts';
import type { Finding } from '../audit/finding.ts';
import type { ResourceRecord } from '../page-load.ts';
import { budgetWords, savingWords } from './audit-words.ts';
import { messageOf, statusOf } from './failures.ts';
import { hasFailed } from './milestones.ts';
import { printableText, printableUrl } from './printable.ts';
import { escapeXml } from './svg-markup.ts';

export interface JUnitInput {
  url: string;
  /** Reason why the page did not load; null: it did. */
  failure: string | null;
  /** Resources of the page; each one that failed is a separate, failed test. */
  resources: readonly ResourceRecord[];
  findings: readonly Finding[];
  budget: readonly BudgetLine[];
}

const mostItems = 50;

export function toJUnit({ url, failure, resources, findings, budget }: JUnitInput): string {
  // The page itself has its own test.
  const broken = resources.filter((row) => hasFailed(row) && row.initiator !== null);
  const cases = [
    testCase('load', 'the page loads', failure === null ? '' : fault(failure)),
    ...broken.map((row) => testCase('resource', printableUrl(row.url), fault(reasonOf(row)))),
    ...budget.map((line) =>
      testCase(
        'budget',
        line.name,
        line.isExceeded ? fault(budgetWords(line)) : output(budgetWords(line)),
      ),
    ),
    ...findings.map((finding) => testCase('advice', finding.title, output(adviceOf(finding)))),
  ];
  const failures =
    broken.length +
    budget.filter(({ isExceeded }) => isExceeded).length +
    (failure === null ? 0 : 1);
  const counts = `tests="${cases.length}" failures="${failures}" errors="0" skipped="0"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="loadahead audit" ${counts}>`,
    `  <testsuite name="${escapeXml(printableUrl(url))}" ${counts}>`,
    ...cases,
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

function adviceOf({ advice, saves, items }: Finding): string {
  const lines = items
    .slice(0, mostItems)
    .map(({ url, note }) => `${printableUrl(url)}  ${printableText(note)}`);
  const left = items.length - lines.length;
  const all = [savingWords(saves), advice, ...lines, left > 0 ? `and ${left} more` : ''];
  return all.filter((line) => line !== '').join('\n');
}

const reasonOf = (row: ResourceRecord): string => {
  const message = messageOf(row);
  return message === '' || message === statusOf(row)
    ? statusOf(row)
    : `${statusOf(row)}: ${message}`;
};

const testCase = (group: string, name: string, content: string): string => {
  const head = `    <testcase classname="loadahead.${group}" name="${escapeXml(printableText(name))}"`;
  return content === '' ? `${head}/>` : `${head}>${content}</testcase>`;
};

const fault = (message: string): string =>
  `<failure message="${escapeXml(printableText(message))}"/>`;
const output = (text: string): string => `<system-out>${escapeXml(text)}</system-out>`;
