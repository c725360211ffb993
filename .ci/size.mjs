// How large each room is, beside the most that it may be. A room over its line ends with 1: something goes before
// something else comes. Rooms leave lines for a feature or two, all of them together few; `goal` is where
// they are to end.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { filesEntered } from './files-entered.mjs';

const files = execFileSync('git', ['ls-files'], { encoding: 'utf8' }).trim().split('\n');
const textOf = (file) => readFileSync(file, 'utf8');
const linesOf = (some) => some.reduce((sum, file) => sum + textOf(file).split('\n').length - 1, 0);
const product = /^(cli|loader|prefetchd|server|http|options|process)\/.*\.ts$/;
const inRoom = (room) => files.filter((file) => file.startsWith(`${room}/`) && product.test(file));

/** What lets anybody measure a page of his own, counted by itself. */
const laboratory = files.filter((file) =>
  /^(?:cli\/compare|cli\/loadahead\/(?:compare|record|packets)|loader\/packets|server\/recorded)/.test(
    file,
  ),
);
const laboratoryTest =
  /^test\/(?:cli\/compare|e2e\/(?:compare|load-packets|packets|record)|loader\/packets|server\/recorded)/;
const withoutLaboratory = files.filter((file) => product.test(file) && !laboratory.includes(file));

/** Words without code and without the tables that `npm run options` writes; a word has a letter or a digit. */
const words = (file) =>
  textOf(file)
    .replace(/^```.*?^```/gms, '')
    .replace(/<!-- (options|made): .*?<!-- end of \1 -->/gs, '')
    .split('\n')
    .filter((line) => !(file === 'docs/benchmarks.md' && line.startsWith('|')))
    .join(' ')
    .split(/\s+/)
    .filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
const documents = files.filter((file) => /^(docs\/.*|[A-Z]+)\.md$/.test(file));
/** Of the tables that are made from the option tables, wherever they stand. */
const optionTables = documents.flatMap((file) =>
  [...textOf(file).matchAll(/<!-- options: .*? -->\n\n((?:\|.*\n)+)/g)].map(([, table]) => table),
);
/** A setting of the command that sets an option of another name (third column) counts as that. */
const documented = optionTables.flatMap((table) =>
  [...table.matchAll(/^\| `([\w.]+)` \|(?:[^|`]*\| `([\w.]+)` \|)?/gm)].map(([, name, sets]) =>
    (sets ?? name).split('.').at(-1),
  ),
);
/** Of the types of options that programs may import, whether or not a document has them. */
const importable = textOf('docs/api.txt')
  .split(/^(?=type |interface |function |class |# )/m)
  .filter((declared) => /^(?:type|interface) \w*Options\b/.test(declared))
  .flatMap((declared) => [
    ...declared.matchAll(
      declared.startsWith('interface')
        ? /^ {4}(\w+)\??:/gm
        : /^ +(\w+): (?:Option|OptionWithoutDefault|Kind)</gm,
    ),
  ])
  .map(([, name]) => name);
/** A section, such as `timeouts`, is no option beside those in it. */
const sections = new Set(optionTables.join('').match(/\w+(?=\.\w+` \|)/g));
const allOptions = new Set([...documented, ...importable].filter((name) => !sections.has(name)));

const tests = files.filter((file) => /^test\/.*\.ts$/.test(file));
const rows = [
  ['cli, lines', linesOf(inRoom('cli')), 6_500],
  ['loader, lines', linesOf(inRoom('loader')), 24_850],
  ['prefetchd, lines', linesOf(inRoom('prefetchd')), 19_000],
  ['server, lines', linesOf(inRoom('server')), 10_200],
  ['http, options, process, lines', linesOf(['http', 'options', 'process'].flatMap(inRoom)), 2_280],
  ['product, lines', linesOf(files.filter((file) => product.test(file))), 62_600],
  ['  without the laboratory for a page', linesOf(withoutLaboratory), 60_000],
  ['  compare, record, packets', linesOf(laboratory), 3_000],
  ['product, files', files.filter((file) => product.test(file)).length, 520, 520],
  ['tests, lines', linesOf(tests), 67_700],
  [
    '  without those of the laboratory',
    linesOf(tests.filter((file) => !laboratoryTest.test(file))),
    66_000,
  ],
  ['documents, words', documents.reduce((sum, file) => sum + words(file), 0), 26_000, 26_000],
  ['options, names', allOptions.size, 100, 70],
  ['files, loadPage() to first byte', filesEntered.load.length, 25, 22],
  ['files, request to hint', filesEntered.hint.length, 38, 18],
];

const cells = ([room, size, most, goal = '']) =>
  `${room.padEnd(36)}${[size, most, goal].map((each) => each.toLocaleString('en').padStart(9)).join('')}`;
process.stdout.write(`${cells(['room', 'size', 'most', 'goal'])}\n${rows.map(cells).join('\n')}\n`);
const over = rows.filter(([, size, most]) => size > most);
for (const [room, size, most] of over) {
  process.stderr.write(`${room}: ${size} is ${size - most} over its line of ${most}\n`);
}
process.exitCode = over.length > 0 ? 1 : 0;
