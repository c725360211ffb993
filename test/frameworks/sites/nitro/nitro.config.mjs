export default { preset: 'node_middleware', compatibilityDate: '2026-01-01', scanDirs: ['.'] };
