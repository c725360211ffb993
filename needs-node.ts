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
    const error = new Error(
      `loadahead needs Node 22.19 or newer, and this is ${version}. Install a newer one; in a clone of loadahead, npm ci has brought one: npx node mine.js`,
    );
    // Where it was imported from is the loader of modules, in a dozen lines.
    error.stack = String(error);
    throw error;
  }
}
