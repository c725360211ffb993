// Two sites of one template each, written to a folder: a manual in the template of mdBook, with the text of our own
// documentation, and a shop in a template of Start Bootstrap, with invented products. Both templates are saved pages of
// fixtures/pages. They come out the same each time.

import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { randomFrom } from '../make/random.ts';
import { repository } from '../paths.ts';

export interface TemplateSite {
  name: string;
  folder: string;
  /** In the order of the visit. */
  paths: string[];
}

const saved = (page: string) => readFileSync(join(repository, 'fixtures/pages', page), 'utf8');

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

function write(folder: string, pages: ReadonlyMap<string, string>): string[] {
  mkdirSync(folder, { recursive: true });
  for (const [name, html] of pages) writeFileSync(join(folder, name), html);
  return [...pages.keys()].map((name) => `/${basename(folder)}/${name}`);
}

/** The template around what stands between two marks of it. */
function around(html: string, from: string, to: string): [before: string, after: string] {
  const [start, end] = [html.indexOf(from), html.lastIndexOf(to)];
  if (start === -1 || end < start) throw new Error(`the template has no ${from} before ${to}`);
  return [html.slice(0, start + from.length), html.slice(end)];
}

export function manual(folder: string): TemplateSite {
  const template = saved('mdbook/files/site/ch04-01-what-is-ownership.html');
  const [before, after] = around(template, '<main>', '</main>');
  const files = globSync('docs/{,guides/}*.md', { cwd: repository }).toSorted();
  const small = files.filter((file) => !/benchmarks|decisions/.test(file));
  const pages = small.map((file): [string, string] => {
    const name = file
      .replace(/^docs\//, '')
      .replaceAll('/', '-')
      .replace(/\.md$/, '');
    const blocks = readFileSync(join(repository, file), 'utf8').split(/\n{2,}/);
    const text = blocks.map((block) => `<p>${escaped(block)}</p>`).join('\n');
    const html = before.replace(/<title>.*<\/title>/, `<title>${name}</title>`);
    return [`${name}.html`, `${html}\n${text}\n${after}`];
  });
  return { name: 'manual', folder, paths: write(join(folder, 'manual'), new Map(pages)) };
}

const kinds = ['Lamp', 'Chair', 'Kettle', 'Blanket', 'Clock', 'Basket', 'Mirror', 'Shelf'];
const makes = ['Oak', 'Copper', 'Linen', 'Slate', 'Cork', 'Walnut', 'Enamel', 'Wool'];

export function shop(folder: string): TemplateSite {
  const template = saved('shop/files/site/index.html');
  const card = '<div class="col mb-5">';
  const [before, after] = around(
    template,
    'justify-content-center">',
    '</div>\n            </div>\n        </section>',
  );
  const random = randomFrom(7);
  const integer = (from: number, to: number) => from + Math.floor(random() * (to - from + 1));
  const pick = (words: readonly string[]) => words[integer(0, words.length - 1)] as string;
  const product = () => {
    const name = `${pick(makes)} ${pick(kinds)} ${integer(100, 999)}`;
    const place = name.toLowerCase().replaceAll(' ', '-');
    return `${card}
                        <div class="card h-100">
                            <img class="card-img-top" src="/images/${place}.jpg" alt="${name}" />
                            <div class="card-body p-4">
                                <div class="text-center">
                                    <h5 class="fw-bolder">${name}</h5>
                                    $${integer(8, 400)}.${integer(10, 99)}
                                </div>
                            </div>
                            <div class="card-footer p-4 pt-0 border-top-0 bg-transparent">
                                <div class="text-center"><a class="btn btn-outline-dark mt-auto" href="/${place}">Add to cart</a></div>
                            </div>
                        </div>
                    </div>`;
  };
  const pages = Array.from({ length: 16 }, (_, at): [string, string] => {
    const products = Array.from({ length: integer(8, 24) }, product);
    return [`shelf-${at + 1}.html`, `${before}\n${products.join('\n')}\n${after}`];
  });
  return { name: 'shop', folder, paths: write(join(folder, 'shop'), new Map(pages)) };
}
