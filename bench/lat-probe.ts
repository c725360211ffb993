import { join } from 'node:path';
import { links, onLink } from './page-loads/links.ts';
import { makePage } from './page-loads/page-shapes.ts';
import { interleave, ours } from './page-loads/ways.ts';
import { Scratch } from './scratch.ts';
const shapes: [number, number, number][] = [[2000, 1, 512], [2000, 2, 512], [2000, 10, 512], [2000, 20, 512], [6000, 5, 2544], [20000, 20, 2544], [43008, 42, 3000]];
const names = (process.argv[2] ?? 't1').split(',') as (keyof typeof links)[];
const rounds = Number(process.argv[3] ?? 5);
for (const name of names) {
  using scratch = new Scratch();
  const pages = shapes.map(([htmlBytes, images, b]) => ({ ...makePage({ name: `${htmlBytes}x${images}x${b}`, htmlBytes, images, imageBytes: [b, b] as const }, join(scratch.path, `${htmlBytes}x${images}x${b}`)), path: `/${htmlBytes}x${images}x${b}/` }));
  await onLink(links[name], { folder: scratch.path, path: '/', htmlBytes: 0, images: 0, bytes: 0 }, async (place) => {
    for (const page of pages) {
      const p = { protocol: 'pipelined', connections: 1 } as const;
      const samples = await interleave([
        ours({ ...place, page }, 'at once', 'plain', { ...p, batch: { lastSegmentMs: 0 } }),
        ours({ ...place, page }, 'waits', 'plain', p),
        ours({ ...place, page }, 'persistent', 'plain', { protocol: 'persistent', connections: 1 }),
      ], rounds, () => {});
      const med = (a: number[]) => a.toSorted((x, y) => x - y)[Math.floor(a.length / 2)]?.toFixed(1);
      console.log(name, page.path, [...samples].map(([way, s]) => `${way} ${med(s.map(({ ownMs }) => ownMs))}`).join('  '));
    }
  });
}
