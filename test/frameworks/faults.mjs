// What sites do that hints must survive, as the response to a path: every site of this folder has it behind its pages.

const html = { 'Content-Type': 'text/html', 'Cache-Control': 'max-age=600' };
const bytes = (text) => new TextEncoder().encode(text);
const page = '<!doctype html><p><a href="/news">news</a>';

function chunks(parts, end) {
  let next = 0;
  const pull = (controller) => {
    if (next < parts.length) controller.enqueue(bytes(parts[next++]));
    else end(controller);
  };
  return new ReadableStream({ pull });
}

export function answer(name) {
  const headers = new Headers(html);
  switch (name) {
    case 'linked':
      headers.set('Link', '</site.css>; rel=preload; as=style');
      return new Response(page, { headers });
    case 'streamed':
      return new Response(
        chunks(['<!doctype html>', '<p>', 'end'], (controller) => controller.close()),
        { headers },
      );
    case 'breaks':
      return new Response(
        chunks(['<!doctype html>', '<p>'], (controller) => controller.error(new Error('breaks'))),
        { headers },
      );
    case 'moved':
      return new Response(null, { status: 302, headers: { Location: '/news' } });
    case 'cookies':
      headers.append('Set-Cookie', 'a=1');
      headers.append('Set-Cookie', 'b=2');
      return new Response(page, { headers });
    default:
      return new Response('not found', { status: 404 });
  }
}
