// How well predictors find the next pages of a visit, by the protocol of IPredict (Fournier-Viger et al., SPMF): the
// last three pages of each visit are hidden, up to five before them are shown, and the best page that is not among
// these is right if it is one of the hidden. Four parts: three are learned, the fourth is asked.

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { BenchResult, Cell } from '../result.ts';
import { spreadOf } from '../spread.ts';
import { type NextPagePredictor, nextPagePredictors, type Visit } from './next-page-predictors.ts';
import { generatedVisits, type VisitSet, visitsOfLog } from './visit-sets.ts';

const [shown, hidden, parts] = [5, 3, 4];

interface Question {
  shown: Visit;
  hidden: Visit;
}

interface Fold {
  learn: Visit[];
  ask: Question[];
}

/** Per part. */
interface Score {
  right: number;
  answered: number;
  rightOfThree: number | null;
  asked: number;
}

export async function visitsBench({
  logs,
  say,
}: {
  logs: string[];
  say: (line: string) => void;
}): Promise<BenchResult> {
  const rows: Cell[][] = [];
  const sets = [...(await Promise.all(logs.map(visitsOfLog))), ...generatedVisits()];
  for (const set of sets) {
    const folds = foldsOf(set);
    for (const [name, make] of Object.entries(nextPagePredictors)) {
      say(`${set.name}: ${name}`);
      rows.push(
        rowOf(
          set,
          name,
          folds.map((fold) => score(fold, make())),
        ),
      );
    }
    say(`${set.name}: CPT+`);
    const scores = folds.map(scoreOfCptPlus);
    if (scores.every((each) => each !== null)) rows.push(rowOf(set, 'CPT+ (PyPI cpt)', scores));
  }
  return {
    name: 'prefetchd-visits',
    title: 'The next page of a visit',
    method: [
      'The protocol of IPredict: visits of more than three pages; the last three are hidden, up to five before them are shown. An answer is the likeliest page that is not among those shown; it is right if it is one of the hidden. Three quarters of the visits are learned, the fourth is asked, each quarter once.',
      'Visits of the logs are those of people, without the rules of the service. The other sets are generated (`lab/prefetchd/visit-sets.ts`): their number of visits, pages and pages a visit are those of the sets that SPMF publishes, how visitors choose is made up, so they say how predictors differ, not how well they do on these sites.',
      'double-graph and dependency-graph see the last page alone. Markov is the dependency graph of w 2. The vote sums over the last five pages, each counting half of the one after it; trail adds the rows of page pairs. CPT+ is the package `cpt` of PyPI with its defaults; without it (`pip install cpt`) its rows are missing.',
    ],
    tables: [
      {
        title: '',
        columns: [
          { name: 'visits', meaning: 'where from', text: true },
          { name: 'asked', meaning: 'visits of more than three pages', digits: 0 },
          { name: 'predictor', meaning: 'see above', text: true },
          { name: 'right %', meaning: 'of the visits asked', digits: 1 },
          {
            name: 'answered %',
            meaning: 'of the visits asked: there was a page to name',
            digits: 1,
          },
          {
            name: 'right of three %',
            meaning: 'one of the three likeliest is one of the hidden',
            digits: 1,
          },
        ],
        rows,
      },
    ],
    targets: [],
  };
}

function foldsOf({ visits }: VisitSet): Fold[] {
  return Array.from({ length: parts }, (_, part) => ({
    learn: visits.filter((_, at) => at % parts !== part),
    ask: visits
      .filter((visit, at) => at % parts === part && visit.length > hidden)
      .map((visit) => ({
        shown: visit.slice(0, -hidden).slice(-shown),
        hidden: visit.slice(-hidden),
      })),
  }));
}

function score({ learn, ask }: Fold, predictor: NextPagePredictor): Score {
  for (const visit of learn) predictor.learn(visit);
  let [right, answered, rightOfThree] = [0, 0, 0];
  for (const question of ask) {
    const answers = predictor
      .rank(question.shown)
      .filter((page) => !question.shown.includes(page))
      .slice(0, 3);
    const isRight = answers.map((page) => question.hidden.includes(page));
    if (answers.length > 0) answered++;
    if (isRight[0]) right++;
    if (isRight.includes(true)) rightOfThree++;
  }
  return { right, answered, rightOfThree, asked: ask.length };
}

function scoreOfCptPlus({ learn, ask }: Fold): Score | null {
  const script = fileURLToPath(new URL('./cpt-plus.py', import.meta.url));
  const input = JSON.stringify({ learn, ask: ask.map((question) => question.shown) });
  const { status, stdout } = spawnSync('python3', [script], {
    ...{ input, encoding: 'utf8', maxBuffer: 2 ** 28, timeout: 20 * 60_000 },
  });
  if (status !== 0) return null;
  const answers: Array<number | null> = JSON.parse(stdout);
  let [right, answered] = [0, 0];
  for (const [at, answer] of answers.entries()) {
    if (answer === null) continue;
    answered++;
    if (ask[at]?.hidden.includes(answer)) right++;
  }
  return { right, answered, rightOfThree: null, asked: ask.length };
}

function rowOf({ name }: VisitSet, predictor: string, scores: Score[]): Cell[] {
  const percent = (of: (score: Score) => number) =>
    spreadOf(scores.map((each) => (100 * of(each)) / each.asked));
  const asked = scores.reduce((sum, each) => sum + each.asked, 0);
  const tellsThree = scores.every(({ rightOfThree }) => rightOfThree !== null);
  return [
    ...[name, asked, predictor],
    percent(({ right }) => right),
    percent(({ answered }) => answered),
    tellsThree ? percent(({ rightOfThree }) => rightOfThree ?? 0) : null,
  ];
}
