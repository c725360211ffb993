// Passes over text and complete tags that nobody wants, many in one step of the regular expression engine. Its
// expression is the grammar of tags (HTML 13.2.5.6 to 13.2.5.40) in a form with one way to match: each name and
// unquoted value must be followed by what ends it, so that a failure takes linear time. It stops at whatever else there
// is: wanted tags, comments, and tags that go on in the next chunk. These are read state by state.

const space = '[\\t\\n\\f\\r ]';
const value = `(?:"[^"]*"|'[^']*'|[^\\t\\n\\f\\r "'>][^\\t\\n\\f\\r >]*(?=[\\t\\n\\f\\r >])|(?=>))`;
const attributeName = '[^\\t\\n\\f\\r />][^\\t\\n\\f\\r />=]*(?=[\\t\\n\\f\\r />=])';
const valueIfAny = `(?:${space}*=${space}*${value}|(?!${space}*=))`;
/** More attributes than this are read state by state. The engine's stack grows with them. */
const mostAttributes = 16;
/** Tags passed over in one step, for the same reason. */
const mostTags = 256;

/**
 * A sticky expression that matches as much as can be passed over, which may be nothing.
 * @param names Of the wanted tags, in lower case.
 * @param wantsEndTags End tags with these names are wanted, too.
 * @param attributes With one of these, a tag of another name may be wanted. It is then read state by state.
 */
export function unwanted(
  names: readonly string[],
  wantsEndTags: boolean,
  attributes: readonly string[] = [],
): RegExp {
  const wanted = `${anyOf(names)}[\\t\\n\\f\\r />]`;
  const opening = wantsEndTags ? `/?(?!${wanted})` : `(?:/|(?!${wanted}))`;
  const name = '[A-Za-z][^\\t\\n\\f\\r />]*';
  const isOther = attributes.length === 0 ? '' : `(?!${anyOf(attributes)}[\\t\\n\\f\\r />=])`;
  const attribute = `[\\t\\n\\f\\r /]*${isOther}${attributeName}${valueIfAny}`;
  const attributesToEnd = `(?=[\\t\\n\\f\\r /])(?:${attribute}){0,${mostAttributes}}[\\t\\n\\f\\r /]*>`;
  const tag = `[^<]*<${opening}${name}(?:>|${attributesToEnd})`;
  return new RegExp(`(?:${tag}){0,${mostTags}}`, 'y');
}

/** Ordered by their first letters, which then are compared once. */
function anyOf(names: readonly string[]): string {
  const byFirst = Map.groupBy(names, (name) => name.charAt(0));
  const branches = [...byFirst].map(([first, some]) => {
    const rests = some.map((name) => inAnyCase(name.slice(1)));
    return `${inAnyCase(first)}(?:${rests.join('|')})`;
  });
  return `(?:${branches.join('|')})`;
}

function inAnyCase(name: string): string {
  return name
    .replace(/[^a-z0-9]/g, '\\$&')
    .replace(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`);
}
