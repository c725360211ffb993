// Who may import whom: the floors of docs/architecture.md. A room may import what stands below it, never what stands
// beside or above it; type-only imports count.

const { Visitor } = require('@swc/core/Visitor.js');

// The visitor of swc's syntax tree throws at `using`, which has imports in no place but its values.
const { visitStatement } = Visitor.prototype;
Visitor.prototype.visitStatement = function (statement) {
  if (statement.type !== 'UsingDeclaration') return visitStatement.call(this, statement);
  this.visitVariableDeclarators(statement.decls);
  return statement;
};

/** A room may import its own files and these. @param {string} name @param {string} room @param {string[]} may */
const only = (name, room, may) => ({
  name,
  severity: 'error',
  from: { path: `^${room}` },
  to: {
    path: '^(cli|server|loader|prefetchd|http|process|options)/',
    pathNot: [`^${room}`, ...may],
  },
});

const ground = '^(http|process|options)/';
/** The same without the fields that only layers know. */
const coreGround = '^(http/(?!compression-dictionary|get-all|hold-line)|(process|options)/)';
/** What accesses, hints and errors are: plain data. */
const data =
  '^(options/|process/(latest-map|text-memo)\\.ts$|prefetchd/(access|errors|normalise-url)\\.ts$)';
/** What layers are made against. */
const layer = '^loader/(layer|page/page-layer)\\.ts$';
const loaderData = '^(options/|loader/(errors|page-load)\\.ts$)';

/** Files of lab/ that measure or use a part behind the doors (index.ts), and that part. */
const labInsides = {
  // What nobody sets: the values, and the options, not public ones, by which a bench changes them.
  'lab/constants.ts': '^(options/options|prefetchd/engine/prefetchd-options)\\.ts$',
  // The link, the floor and the programs of `loadahead compare`, which has no door: it is a command.
  'lab/link/link.ts': '^cli/compare/(emulated-link|figures|link-process|links)\\.ts$',
  // Segments and stalls of captures that are read while a bench runs, packet by packet.
  'lab/link/trace.ts': '^loader/packets/(facts|segment)\\.ts$',
  // One connection of many drawn; the command draws whole captures.
  'lab/tcp-study/figures.ts': '^loader/packets/(capture|connections|packets-(svg|text))\\.ts$',
  // The reader of style sheets by itself: by way of a scanner it takes half as long again.
  'lab/scan/readers.ts': '^loader/scan/css/page-styles\\.ts$',
  // All counts of a graph, compared row by row with those of a warehouse.
  'lab/prefetchd/scale-worker.ts': '^prefetchd/model/graph-export\\.ts$',
};

/** What lab/ may import of the product: doors, and insides. @param {object} from @param {string[]} insides */
const labUsesDoors = (from, insides) => ({
  name: 'lab-uses-doors',
  severity: 'error',
  from,
  to: {
    path: '^(cli|server|loader|prefetchd|http|process|options)/',
    pathNot: ['/index\\.ts$', ...insides],
  },
});

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'nothing-imports-cli',
      severity: 'error',
      from: { pathNot: '^((cli|test)/|lab/link/link\\.ts$)' },
      to: { path: '^cli/' },
    },
    {
      name: 'product-imports-no-test-code',
      severity: 'error',
      from: { path: '^(cli|loader|server|prefetchd|http|process|options)/' },
      to: { path: '^(test|lab|examples)/' },
    },
    labUsesDoors({ path: '^lab/', pathNot: Object.keys(labInsides) }, []),
    ...Object.entries(labInsides).map(([path, inside]) => labUsesDoors({ path }, [inside])),

    only('http-is-ground', 'http/', []),
    only('process-is-ground', 'process/', []),
    only('options-is-ground', 'options/', []),
    // prefetchd: service > engine > store, log > rules, model, wire > data
    only('prefetchd-stands-alone', 'prefetchd/', [ground]),
    only('data', 'prefetchd/[^/]+\\.ts$', ['^prefetchd/', data]),
    only('model', 'prefetchd/model/', [data]),
    only('model-delta', 'prefetchd/model/delta/', [data, '^prefetchd/model/graph/']),
    only('model-graph', 'prefetchd/model/graph/', [data, '^prefetchd/model/[^/]+$']),
    only('wire', 'prefetchd/wire/', [data, '^http/']),
    only('rules', 'prefetchd/rules/', [data, ground]),
    only('log', 'prefetchd/log/', [data, ground, '^prefetchd/rules/']),
    only('log-formats', 'prefetchd/log/formats/', [
      ...[data, '^http/public-address\\.ts$', '^prefetchd/(rules/|log/log-format)'],
    ]),
    only('store', 'prefetchd/store/', [data, '^process/', '^prefetchd/model/']),
    {
      name: 'stores-are-apart',
      comment:
        'each kind of store has a folder, and knows the contract of stores but no other kind',
      severity: 'error',
      from: { path: '^prefetchd/store/([^/]+)/' },
      to: { path: '^prefetchd/store/[^/]+/', pathNot: '^prefetchd/store/$1/' },
    },
    only('simulate', 'prefetchd/simulate/', [
      ...[data, '^http/', '^process/', '^prefetchd/(model|rules|wire|engine)/'],
    ]),
    only('warehouse', 'prefetchd/warehouse/', [
      ...[data, '^prefetchd/(model|rules|store|engine)/'],
    ]),
    only('holdback', 'prefetchd/holdback/', [data]),
    only('engine', 'prefetchd/engine/', [
      ...[data, ground, '^prefetchd/(model|rules|store|wire|holdback)/'],
    ]),
    only('engine-watch', 'prefetchd/engine/watch/', [data, '^prefetchd/(model|rules|wire)/']),
    only('service', 'prefetchd/service/', [
      data,
      ground,
      '^prefetchd/(engine|holdback|log|model|rules|wire)/',
    ]),
    {
      name: 'model-and-wire-are-pure',
      comment: 'no clock, no I/O: nothing of Node, no package (a salt is made of chance)',
      severity: 'error',
      from: { path: '^prefetchd/(model|wire)/', pathNot: '^prefetchd/model/salt\\.ts$' },
      to: { dependencyTypes: ['core', 'npm'] },
    },

    // loader: page, fetch, walk > prefetch > transport, cache, scan
    only('loader', 'loader/', [
      ground,
      // What both ends of a hint share: its formats, and what is never hinted.
      '^prefetchd/(wire/|rules/deny-list\\.ts$)',
    ]),
    only('scan', 'loader/scan/', [loaderData, ground]),
    only('cache', 'loader/cache/', [loaderData, ground]),
    only('report', 'loader/report/', [
      ...[loaderData, '^http/', '^loader/(walk/walk-record|audit/(finding|budget))\\.ts$'],
    ]),
    // A room of its own, pure: bytes of captures in, text out.
    only('packets', 'loader/packets/', ['^loader/report/(units|printable|terminal|svg)\\.ts$']),
    only('audit', 'loader/audit/(?!index\\.ts$)', [
      ...[
        ...[loaderData, '^http/', '^loader/cache/(policy/|entry\\.ts$)'],
        // Image tags of a document.
        '^loader/scan/(charset|text-decoder|tokenizer)\\.ts$',
        // Figures and names, the same as in reports.
        '^loader/report/(units|printable)\\.ts$',
      ],
    ]),
    {
      name: 'audit-is-pure',
      comment: 'no I/O: of Node only the codings that it tries on bodies, and no package',
      severity: 'error',
      from: { path: '^loader/audit/' },
      to: { dependencyTypes: ['core', 'npm'], pathNot: '^(node:)?zlib$' },
    },
    // A layer wraps what the core does, and the core imports none: loader.ts composes them.
    only(
      'core-imports-no-layer',
      'loader/(layer\\.ts$|(page|transport|request|response|cache|scan)/)',
      [...[loaderData, coreGround, '^prefetchd/wire/', '^loader/(discovery-)?options\\.ts$']],
    ),
    only('loader-dictionaries', 'loader/dictionaries/', [
      ...[loaderData, ground, layer],
      '^loader/(cache/(entry|http-cache)|request/(referrer|request-headers))\\.ts$',
      '^loader/(response/(content-coding|body-limit)|transport/exchange)\\.ts$',
    ]),
    only('loader-hold-line', 'loader/hold-line/', [
      '^http/',
      '^loader/transport/connection/keep-alive\\.ts$',
    ]),
    only('transport', 'loader/transport/', ['^loader/errors\\.ts$', ground]),
    only('transport-connect', 'loader/transport/connect/', [
      '^(http/public-address|loader/(errors|transport/transport-options))\\.ts$',
    ]),
    only('transport-connection', 'loader/transport/connection/', [
      loaderData,
      ground,
      '^loader/transport/(connect/|[^/]+$)',
    ]),
    only('cache-policy', 'loader/cache/policy/', [
      loaderData,
      ground,
      '^loader/cache/(entry|http-cache)\\.ts$',
    ]),

    // server: index > proxy, origin > layers > coalescing > listen; hints, get-all, hold-line, dictionaries > listen
    // get-all reads pages as the loader does: the scanner, and what decodes for it.
    only('server', 'server/(?!get-all/)', [ground, '^(prefetchd|server/get-all)/']),
    only('get-all', 'server/get-all/', [
      '^server/(errors\\.ts$|listen/)',
      ground,
      '^loader/(scan/|response/content-coding\\.ts$)',
    ]),
    only('listen', 'server/listen/', ['^server/errors\\.ts$', coreGround]),
    only('server-layers', 'server/layers\\.ts$', ['^server/(coalescing|listen)/']),
    only('coalescing', 'server/coalescing/', ['^server/listen/']),
    only('origin', 'server/origin/', ['^server/((errors|layers)\\.ts$|listen/)', ground]),
    only('proxy', 'server/proxy/', [
      '^server/((errors|layers)\\.ts$|listen/)',
      '^prefetchd/errors\\.ts$',
      ground,
    ]),
    only('dictionaries', 'server/dictionaries/', ['^server/(errors\\.ts$|listen/)', ground]),
    only('hold-line', 'server/hold-line/', ['^server/(errors\\.ts$|listen/)', ground]),
    only('hints', 'server/hints/', ['^server/(errors\\.ts$|listen/)', ground, '^prefetchd/']),
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
