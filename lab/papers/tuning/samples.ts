// What one visit of the robot or of the loader took, with the packets that the link counted, in rounds.

import type { LoadRequest } from '../../page-loads/load-worker.ts';
import { type Spread, spreadOf } from '../../spread.ts';
import type { RobotVisit } from '../robot.ts';
import type { RobotPlace } from '../robot-place.ts';

export interface Sample {
  ms: number;
  connections: number;
  atOnce: number;
  writes: number;
  /** Requests for images that left before the page was complete. */
  ahead: number;
  packetsUp: number;
  packetsDown: number;
}

export type Visit = Omit<RobotVisit, 'host' | 'port'>;

export async function byRobot(place: RobotPlace, visit: Visit): Promise<Sample> {
  const answer = await place.visit(visit);
  return { ...answer, ...(await packetsOf(place)) };
}

export async function byLoader(
  place: RobotPlace,
  request: Omit<LoadRequest, 'url'>,
): Promise<Sample> {
  const { completeMs, connections, batches, ahead, errors } = await place.load(request);
  if (errors.length > 0) throw new Error(errors[0]);
  // The write of the page's own request counts here, too.
  const own = { ms: completeMs, connections, atOnce: connections, writes: batches + 1, ahead };
  return { ...own, ...(await packetsOf(place)) };
}

async function packetsOf(place: RobotPlace) {
  const { up, down } = await place.counts();
  return { packetsUp: up.packets, packetsDown: down.packets };
}

export const packets = ({ packetsUp, packetsDown }: Sample) => packetsUp + packetsDown;

/** Median and extremes of a figure of the samples. */
export const spread = (samples: readonly Sample[], value: (sample: Sample) => number): Spread =>
  spreadOf(samples.map(value));
