// The package har-schema has no types of its own.
declare module 'har-schema' {
  const schemas: Record<string, object> & { har: object };
  export default schemas;
}
