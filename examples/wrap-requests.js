// Code of one's own around each request: a header is added, and the response is timed, by an undici interceptor.
import { createLoader } from 'loadahead';
import { createOrigin } from 'loadahead/server';
import { Agent, DecoratorHandler } from 'undici';

class Timing extends DecoratorHandler {
  startedMs = performance.now();

  onResponseEnd(controller, trailers) {
    times.push(performance.now() - this.startedMs);
    super.onResponseEnd(controller, trailers);
  }
}
const times = [];
const layer = (dispatch) => (request, handler) => {
  // A flat list: name, value, name, value.
  const headers = [...request.headers, 'x-request-id', String(times.length)];
  return dispatch({ ...request, headers }, new Timing(handler));
};

const origin = createOrigin('fixtures/microscape');
const { url } = await origin.listen();
const agent = new Agent().compose(layer);
const loader = createLoader({ dispatcher: agent });
const { totals } = await loader.load(`${url}/`);
console.log(`${totals.responses} responses, ${times.length} timed`);
await loader.close();
await agent.close();
await origin.close();
