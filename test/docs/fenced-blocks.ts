// The fenced blocks of a guide, in their order. What is to be done with one stands behind its language, where
// readers of the rendered page do not see it:
//   a first line `// name.mjs` or `# name.sh`   a file, written as it stands
//   sh             run in the guide's folder; must succeed
//   sh server      run beside the rest; ready when it prints something
//   sh restart     the same, in place of the last server
//   sh until       run again until it prints what the guide shows
//   sh nginx       starts nginx with a configuration of examples/; its section is skipped where there is none
//   sh elsewhere   not run: it needs the network, or a clone
//   text browser   what to do in Chromium, and which text the page then has
//   text           what the block before prints; `...` stands for anything
//   text varies    the same, but figures may be others
//   others         configuration and headers to read

export interface Block {
  /** Heading of the second level that it stands under; empty before the first. */
  section: string;
  language: string;
  /** What is said behind the language. */
  how: string;
  text: string;
  /** Of its first line, in the guide. */
  line: number;
  /** Name of the file it is, or null. */
  file: string | null;
}

export function fencedBlocks(markdown: string): Block[] {
  const blocks: Block[] = [];
  let section = '';
  let open: (Block & { lines: string[] }) | null = null;
  for (const [index, line] of markdown.split('\n').entries()) {
    if (open !== null && line === '```') {
      const { lines, ...block } = open;
      blocks.push({ ...block, text: `${lines.join('\n')}\n`, file: fileOf(lines[0] ?? '') });
      open = null;
    } else if (open !== null) {
      open.lines.push(line);
    } else if (line.startsWith('```')) {
      const [language = '', how = ''] = line.slice(3).split(' ');
      open = { section, language, how, text: '', line: index + 2, file: null, lines: [] };
    } else if (line.startsWith('## ')) {
      section = line.slice(3);
    }
  }
  if (open !== null) throw new Error(`the block of line ${open.line} is not closed`);
  return blocks;
}

function fileOf(firstLine: string): string | null {
  return /^(?:\/\/|#) ([\w-]+\.(?:mjs|sh|txt|conf))$/.exec(firstLine)?.[1] ?? null;
}

/** In the source of a regular expression, with its unit where that goes with its size. */
const figure = /\d+(?:(?:,|\\\.)\d+)*(?: (ms|s|B|kB|MB)\b)?/g;

function figureOf(unit: string | undefined): string {
  const units = unit === undefined ? '' : unit.endsWith('s') ? ' m?s' : ' [kM]?B';
  return `\\d[\\d,.]*${units}`;
}

/** Does the output say what the guide shows? Blanks at the ends of lines, and how many stand in a row, count for nothing. */
export function says(output: string, shown: string, figuresVary: boolean): boolean {
  const pattern = tidy(shown)
    .split('...')
    .map((part) => {
      const exact = part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
      return figuresVary ? exact.replace(figure, (_, unit) => figureOf(unit)) : exact;
    })
    .join('[^]*?');
  return new RegExp(`^${pattern}$`).test(tidy(output));
}

function tidy(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trimEnd().replace(/ +/g, ' '))
    .join('\n')
    .trim();
}
