// What the tables of the study share: the documents, and rounds in which each setting has its turn.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { microscape, repository } from '../paths.ts';

export interface TcpStudySettings {
  rounds: number;
  say: (line: string) => void;
}

export const fixtures = join(repository, 'fixtures');
/** 6,651, 3,883 and 1,866 bytes. */
export const threeDocuments = ['index.html', 'title.gif', 'notice.gif'].map(
  (name) => `/heidemann/${name}`,
);
export const images = readdirSync(join(microscape, 'images'))
  .filter((name) => name.endsWith('.gif'))
  .map((name) => `/microscape/images/${name}`);

/** One round does not count, unless it is the only one; in each, every setting is measured once, in order. */
export async function inRounds<Setting, Sample>(
  settings: readonly Setting[],
  rounds: number,
  measure: (setting: Setting) => Promise<Sample>,
): Promise<Map<Setting, Sample[]>> {
  const samples = new Map(settings.map((setting) => [setting, [] as Sample[]]));
  for (let round = 0; round <= rounds; round++) {
    for (const setting of settings) {
      const sample = await measure(setting);
      if (round > 0 || rounds === 0) samples.get(setting)?.push(sample);
    }
  }
  return samples;
}
