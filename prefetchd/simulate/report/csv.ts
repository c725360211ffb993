// The points of a sweep as CSV (RFC 4180), one row per point: rates as fractions, times in ms, `inf` for no limit,
// and an empty field for no value. Spreadsheets and plotting tools read it directly.

import type { Simulation, SimulationPoint } from '../simulate.ts';
import type { RunFigures } from '../tally.ts';

const settings = ['predictor', 'model', 'window', 'threshold', 'limit'] as const;
const figures = [
  'missRate',
  'averageAccessTimeMs',
  'trafficIncrease',
  'requestIncrease',
  'prefetches',
  'precision',
  'recall',
] as const satisfies ReadonlyArray<keyof RunFigures>;
const kinds = ['documents', 'objects'] as const;

export function toCsv({ points }: Pick<Simulation, 'points'>): string {
  const header = [
    ...settings,
    ...figures,
    ...kinds.flatMap((kind) => figures.map((name) => `${kind}.${name}`)),
  ];
  return [header, ...points.map(row)].map((fields) => `${fields.join(',')}\r\n`).join('');
}

function row(point: SimulationPoint): string[] {
  return [
    point.predictor,
    point.model,
    String(point.window),
    String(point.threshold),
    point.limit === null ? 'inf' : String(point.limit),
    ...figuresOf(point),
    ...kinds.flatMap((kind) => figuresOf(point[kind])),
  ];
}

function figuresOf(of: RunFigures): string[] {
  return figures.map((name) => {
    const value = of[name];
    return value === null ? '' : String(Number(value.toPrecision(9)));
  });
}
