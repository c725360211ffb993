// Tables of plain text.

/**
 * Lines of cells, in columns two spaces apart that are as wide as their widest cell.
 * @param left Number of columns, from the first, that are aligned to the left; the others are to the right.
 */
export function textTable(rows: readonly (readonly string[])[], left: number): string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows.map((row) =>
    row
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return column < left ? cell.padEnd(width) : cell.padStart(width);
      })
      .join('  ')
      .trimEnd(),
  );
}
