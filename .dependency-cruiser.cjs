// Who may import whom: the floors of docs/architecture.md, from the top: cli, server, loader,
// prefetchd. Type-only imports count. The parser cannot read `await using`: product code does without.
/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'nothing-imports-cli',
      severity: 'error',
      from: { pathNot: '^(cli|test)/' },
      to: { path: '^cli/' },
    },
    {
      name: 'pure-folders-import-only-themselves',
      comment:
        'scan, report and cache know their own folder, errors.ts, and the data they are given',
      severity: 'error',
      from: { path: '^loader/(scan|report|cache)/' },
      to: {
        path: '^(loader|server|prefetchd|cli)/',
        pathNot: ['^loader/$1/', '^loader/(errors|page-load|walk-record)\\.ts$'],
      },
    },
    {
      name: 'transport-knows-no-page',
      severity: 'error',
      from: { path: '^loader/transport/' },
      to: {
        path: '^loader/',
        pathNot: '^loader/(transport/|errors\\.ts|options\\.ts|page-load\\.ts)',
      },
    },
    {
      name: 'loader-imports-no-floor-above',
      severity: 'error',
      from: { path: '^loader/' },
      // Of prefetchd what both ends of a hint share: its formats, what is never hinted, what is too busy.
      to: { path: '^(server|cli|prefetchd)/', pathNot: '^prefetchd/(wire|deny-list|load)\\.ts$' },
    },
    {
      name: 'server-imports-few-of-loader',
      severity: 'error',
      from: { path: '^server/' },
      to: { path: '^(loader|cli)/', pathNot: '^loader/(scan/|transport/multipart\\.ts$)' },
    },
    {
      name: 'model-is-pure',
      comment: 'no clock, no I/O: nothing of Node, nothing of ours but accesses, URLs and errors',
      severity: 'error',
      from: { path: '^prefetchd/model/' },
      to: {
        pathNot: [
          '^prefetchd/model/',
          '^prefetchd/(access|errors|graph-delta|normalise-url)\\.ts$',
        ],
      },
    },
    {
      name: 'wire-is-pure',
      comment: 'formats only: nothing of Node, nothing of ours but accesses, URLs and errors',
      severity: 'error',
      from: { path: '^prefetchd/wire/' },
      to: { pathNot: ['^prefetchd/wire/', '^prefetchd/(access|errors|normalise-url)\\.ts$'] },
    },
    {
      name: 'wire-only-re-exports',
      severity: 'error',
      from: { path: '^prefetchd/wire\\.ts$' },
      to: { pathNot: '^prefetchd/wire/' },
    },
    {
      name: 'eligibility-is-pure',
      comment: 'rules only: no clock, no I/O; of the log the rules for bots, kinds and paths',
      severity: 'error',
      from: { path: '^prefetchd/(eligibility|deny-list|deny-words|cache-control)\\.ts$' },
      to: {
        pathNot: [
          '^prefetchd/(access|errors|normalise-url|deny-list|deny-words|cache-control|verdicts)\\.ts$',
          '^prefetchd/wire/quoted-string\\.ts$',
          '^prefetchd/log/(bots|access-kind|filter|memo)\\.ts$',
        ],
      },
    },
    {
      name: 'prefetchd-stands-alone',
      severity: 'error',
      from: { path: '^prefetchd/' },
      to: { path: '^(loader|server|cli)/' },
    },
    {
      name: 'product-imports-no-test-code',
      severity: 'error',
      from: { path: '^(cli|loader|server|prefetchd)/' },
      to: { path: '^(test|bench|examples)/' },
    },
    { name: 'no-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    parser: 'swc', // the compiler's own API is not to be had from TypeScript 7
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^dist/' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.js', '.cjs', '.mjs', '.json', '.d.ts'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
