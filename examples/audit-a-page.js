// Say what would make a page faster. Advice on images needs the package sharp.
import { auditPage } from 'loadahead/audit';
import { createOrigin } from 'loadahead/server';

const origin = createOrigin('fixtures/microscape');
const { url } = await origin.listen();

const { findings, saves, untried } = await auditPage(`${url}/modern/`);
for (const { title, saves: saved, items } of findings) {
  console.log(
    `${title}: ${items.length} of them, ${saved.bytes} bytes, ${saved.requests} requests`,
  );
}
console.log(`next visit: ${saves.next.requests} requests less`);
for (const line of untried) console.log(`not tried: ${line}`);

await origin.close();
