// Finds one normal form for words of every language, and the spellings of a word that occur in URLs. The normal form
// has small letters without accents, and no letter that NFKD leaves whole (ø, ł, ß). A word to look for, from words.ts
// or the site's options, also gets the spellings that its language uses in ASCII: löschen is also found as loschen and
// loeschen, корзина as korzina. Every function here takes linear time.

/** Letters that Unicode does not decompose into a letter and an accent, and what replaces them. */
const wholeLetters: Record<string, string> = {
  ß: 'ss',
  ø: 'o',
  æ: 'ae',
  œ: 'oe',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
  ς: 'σ',
};

/** German and Nordic letters, and how they are written in ASCII. */
const digraphs: Record<string, string> = { ä: 'ae', ö: 'oe', ü: 'ue', å: 'aa', ø: 'oe' };

/** Cyrillic and Greek letters, each in up to six romanisations; where a letter has fewer, the last one serves for the
 *  rest. */
const romanisations = 6;
const romans: Record<string, string> = Object.fromEntries(
  `а=a б=b в=v г=g,g,g,g,h,h ґ=g д=d е=e ё=e,yo,e,jo є=ie,ye,ie,je,ie,ye ж=zh з=z и=i,i,i,i,y,y і=i ї=i,yi,i,ji,i,yi
   й=j,y,i,j,i,y к=k л=l м=m н=n о=o п=p р=r с=s т=t у=u ф=f х=h,kh,h,x,kh ц=c,ts,ts,c,ts ч=ch ш=sh
   щ=shch,sch,sht,shh,shch ъ=a ы=y ь= э=e ю=yu,yu,iu,ju,iu,yu я=ya,ya,ia,ja,ia,ya ј=j
   α=a β=v γ=g δ=d ε=e ζ=z η=i θ=th ι=i κ=k λ=l μ=m ν=n ξ=x,ks ο=o π=p ρ=r σ=s τ=t υ=y,i φ=f χ=ch,h,x ψ=ps ω=o,o,w`
    .split(/\s+/)
    .map((pair) => pair.split('=') as [string, string]),
);

const isAscii = (text: string) => /^[\0-\x7f]*$/.test(text);

/** Returns a text in small letters without accents, half width, and composed where a mark is part of the letter (が,
 *  Hangul). */
export function normalForm(text: string): string {
  if (isAscii(text)) return text.toLowerCase();
  return text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670]+/g, '')
    .normalize('NFC')
    .toLowerCase()
    .replace(/[ßøæœłđðþıς]/g, (letter) => wholeLetters[letter] ?? letter);
}

/** Returns the words of a text without capitals and accents; in scripts without spaces, a dictionary finds them. */
export function rawWords(text: string): string[] {
  if (isAscii(text)) return text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  const plain = normalForm(text);
  const isSpaced = !/[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}]/u.test(plain);
  if (isSpaced) return plain.match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
  segmenter ??= new Intl.Segmenter('ja', { granularity: 'word' });
  return [...segmenter.segment(plain)].flatMap(({ segment, isWordLike }) =>
    isWordLike ? segment : [],
  );
}

let segmenter: Intl.Segmenter | undefined;

/** Returns all spellings of a word, or of a phrase with hyphens, in normal form (without capitals or accents). */
export function formsOf(phrase: string): string[] {
  if (isAscii(phrase)) return [phrase.toLowerCase()];
  const word = phrase.normalize('NFC').toLowerCase();
  const forms = new Set([normalForm(word)]);
  if (/[äöüåø]/.test(word)) {
    forms.add(normalForm(word.replace(/[äöüåø]/g, (letter) => digraphs[letter] ?? letter)));
  }
  for (let nth = 0; nth < romanisations && romanised.test(word); nth++) {
    forms.add(romanForm(word, nth));
  }
  return [...forms];
}

const romanised = /[\u0370-\u045f\u0490\u0491]/;

function romanForm(word: string, nth: number): string {
  const text = nth === 1 ? word.replaceAll('γγ', 'νγ') : word;
  return text.replace(new RegExp(romanised, 'g'), (letter) => {
    const choices = (romans[letter] ?? romans[normalForm(letter)] ?? letter).split(',');
    return choices[nth] ?? choices.at(-1) ?? letter;
  });
}
