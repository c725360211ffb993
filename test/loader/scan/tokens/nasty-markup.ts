// What markup is made of that tokenizers disagree about: all that the states of HTML 13.2.5 tell apart.

export const signs: readonly string[] = [
  ...['<', '>', '/', '</', '/>', '<!', '<!-', '<!--', '-', '--', '-->', '--!', '--!>', '<!-->'],
  ...['<!--->', '<?', '</ ', '<!x', '<!doctype', '<!DOCTYPE html PUBLIC "', '<![CDATA[', ']', ']]'],
  ...[']]>', '"', "'", '=', '="', "='", ' ', '\t', '\n', '\f', '\r', '\r\n', '\0', '!', '&', ';'],
];

export const words: readonly string[] = [
  ...'a A b x script SCRIPT style title tiTle svg p plaintext'.split(' '),
  ...'&amp; &amp &ampx &#65; &#x41 &copy= &notit; \ud83d\ude00 é'.split(' '),
];

export const markup: readonly string[] = [
  ...['<a ', '<a', '</a>', '<p>', '<x y=', '<script>', '<script', '</script>', '</script'],
  ...['</SCRIPT ', '</scrip', '<scripT>', '<!--<script>', '<style>', '</style>', '</style/'],
  ...['<title>', '</title>', '<textarea>', '</textarea ', '<svg>', '</svg>', '<xmp>', '</xmp\n>'],
  ...['<plaintext>', 'a=b', 'a="b"', "a='b'", 'a = b', ' =a', '="a"', ' a', ' A=1', ' a/', '/='],
  'x="<y>" ',
];
