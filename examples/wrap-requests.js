// Code of one's own around each request: a layer adds a header and times each response.
import { createLoader, LayerHandler } from 'loadahead';
import { createOrigin } from 'loadahead/server';

class Timing extends LayerHandler {
  startedMs = performance.now();

  onEnd(endedMs) {
    times.push(endedMs - this.startedMs);
    super.onEnd(endedMs);
  }
}
const times = [];
let requests = 0;
const layer = (dispatch) => (request, handler) => {
  const headers = [...request.headers, ['x-request-id', String(++requests)]];
  dispatch({ ...request, headers }, new Timing(handler));
};

const origin = createOrigin('fixtures/microscape');
const { url } = await origin.listen();
const loader = createLoader({ layers: [layer] });
const { totals } = await loader.load(`${url}/`);
console.log(`${totals.responses} responses, ${times.length} timed`);
await loader.close();
await origin.close();
