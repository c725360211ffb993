// The waterfall as SVG, and an HTTP Archive that browser devtools open.
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadPage } from 'loadahead';
import { renderWaterfallSvg, toHar } from 'loadahead/report';
import { createOrigin } from 'loadahead/server';

const origin = createOrigin('fixtures/microscape');
const { url } = await origin.listen();
const page = await loadPage(`${url}/`);
await origin.close();

const folder = await mkdtemp(join(tmpdir(), 'loadahead-'));
await writeFile(join(folder, 'page.svg'), renderWaterfallSvg(page));
await writeFile(join(folder, 'page.har'), JSON.stringify(toHar(page, { creatorVersion: '1' })));
console.log(`page.svg and page.har written to ${folder}`);
