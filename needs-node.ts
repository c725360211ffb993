// The Node that all of this needs, asked for before anything else runs: an older one gets a sentence, not a
// stack trace from inside a dependency. The first import of every door of the package; the commands import
// it by themselves and print what it throws. Elsewhere than on Node (`loadahead/scan` in a bundle for a
// browser) nothing is asked.
//
// It can speak only where an old Node gets as far as running a module: what a module imports from `node:` by a
// name that is missing there, is a SyntaxError before the first line runs.

const version = typeof process === 'object' ? process.versions?.node : undefined;
if (version !== undefined) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major < 22 || (major === 22 && minor < 19)) {
    // A bundle may know no URL of its own.
    const isClone = import.meta.url?.includes('/node_modules/') === false;
    const own = isClone ? 'npm ci has brought one' : 'npm install node@24 brings one';
    const error = new Error(
      `loadahead needs Node 22.19 or newer, and this is ${version}. Install a newer one; or, for this folder alone, ${own}: npx node mine.js`,
    );
    // Where it was imported from is the loader of modules, in a dozen lines.
    error.stack = String(error);
    // Caught by nobody it would stand amid lines of Node's own. The process ends either way.
    process.on('uncaughtExceptionMonitor', (thrown) => {
      if (thrown !== error || process.listenerCount('uncaughtException') > 0) return;
      process.stderr.write(`${error.message}\n`);
      process.exit(1);
    });
    throw error;
  }
}
