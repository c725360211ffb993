// undici publishes types for its index only. Here are types for those of its files that the loader imports by path.

declare module 'undici/lib/dispatcher/client.js' {
  import { Client } from 'undici';
  export default Client;
}

declare module 'undici/lib/core/connect.js' {
  import { buildConnector } from 'undici';
  export default buildConnector;
}

declare module 'undici/lib/core/symbols.js' {
  const symbols: { kParser: symbol };
  export default symbols;
}
