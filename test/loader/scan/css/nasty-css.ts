// What style sheets are made of that readers disagree about, and what the reader passes over in one step.

const words = String.raw`
  { { { } } } ; ; : , ( ) [ ] & * - / < " ' \ /* */ <!-- --> @
  p .c #d ::before a:hover{ :is(p,a) [x] [x="y"] a url é
  @import @font-face{ url( url(a) URL("a") \url(a) image-set( 1x
  --x --x: var(--x) var(--x,url(a)) data: "data:,a" url(data:a) !important
  background: background:url(a); BACKGROUND:url(a); content: content:"a"; mask:none;
  src: src:url(f.woff2); font-family:f; display:none; display:block
  color:red color:red; color:rgb(1,2,3); *zoom:1; _mask:`;

export const pieces: readonly string[] = [
  ...words.trim().split(/\s+/),
  ...[' ', '\r', '\n', '\r\n', '\f', '\0', '\ufeff', ' "a";', '@import "a";', '@layer '],
  ...['@media screen{', '@media print{', '@keyframes k{', '@supports (a:b){', 'font:1px f'],
  'width:calc((1px + 2px)/3)',
];
