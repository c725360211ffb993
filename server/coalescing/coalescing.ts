// Gathers pipelined responses into full writes, as a layer around each HTTP/1 connection. The gathered bytes are sent
// when the event loop has handled everything that arrived, or when there are enough ('flushes either when full, or when
// there is no more requests coming in on that connection, or before it goes idle': Nielsen, Gettys et al. 1997, Nagle
// Interaction). Header and body of a response never go in separate segments (Heidemann 1996, 2.2). At most
// `maxGatheredBytes` plus one chunk are held. `coalesce(http.createServer(app))` adds the layer to any server.

import type { Server as HttpServer } from 'node:http';
import { type ConnectionLayer, ConnectionSocket } from '../listen/connection-socket.ts';
import { interceptConnections } from '../listen/http1-server.ts';
import { limitConstants } from '../listen/limits.ts';

export function coalescing({ maxGatheredBytes } = limitConstants): ConnectionLayer {
  return (socket) => {
    const { raw, direct } = socket;
    // Nagle's algorithm is off: gathering does its work, and both together stall (Nielsen, Gettys et al. 1997).
    raw.setNoDelay(true);
    /** Sends what gathered in the corked socket, after this turn of the event loop; undefined: nothing gathers. */
    let gathering: NodeJS.Immediate | undefined;
    const flush = (): void => {
      if (gathering === undefined) return;
      clearImmediate(gathering);
      gathering = undefined;
      socket.writes++;
      raw.uncork();
    };
    socket.output = {
      write(chunks, done) {
        if (gathering === undefined) {
          raw.cork();
          gathering = setImmediate(flush);
        }
        direct.write(chunks, done);
        if (raw.writableLength >= maxGatheredBytes) flush();
      },
      flush,
    };
    socket.once('close', () => clearImmediate(gathering));
  };
}

/**
 * Makes an http.Server or https.Server coalesce its responses, and close each half of a connection separately; the
 * application is unchanged. Call it before the server listens. Returns the server.
 */
export function coalesce<Server extends HttpServer>(server: Server): Server {
  const layer = coalescing();
  interceptConnections(server, (raw, proceed) => {
    const socket = new ConnectionSocket(raw);
    layer(socket);
    proceed(socket);
  });
  return server;
}
