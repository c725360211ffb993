// Conditions of selectors on the attributes class and id (Selectors 4, 6), such as sets of icons have.

import { decoded } from './escapes.ts';
import type { Condition } from './selector-use.ts';

const written =
  /^\[[ \t\n\f\r]*(class|id)[ \t\n\f\r]*(?:([~^$*]?=)[ \t\n\f\r]*("[^"\\]*"|'[^'\\]*'|[-\w]+)[ \t\n\f\r]*)?\]$/i;

const comparisons: Readonly<Record<string, (value: string, wanted: string) => boolean>> = {
  '=': (value, wanted) => value === wanted,
  '^=': (value, wanted) => value.startsWith(wanted),
  '$=': (value, wanted) => value.endsWith(wanted),
  '*=': (value, wanted) => value.includes(wanted),
  '~=': (value, wanted) => value.split(/[\t\n\f\r ]+/).includes(wanted),
};

/** @param text With its brackets. @returns null: it is none that is known */
export function attributeCondition(text: string): Condition | null {
  const match = written.exec(text);
  if (match === null) return null;
  const attribute = match[1]?.toLowerCase() ?? '';
  const [, , operator = '', value = ''] = match;
  const wanted = decoded(/^["']/.test(value) ? value.slice(1, -1) : value);
  const compare = comparisons[operator];
  if (compare !== undefined && wanted === '') return null;
  return {
    name: `[${attribute}${operator}${wanted}]`,
    holds(classes, id) {
      const given = attribute === 'class' ? classes : id;
      return given !== undefined && (compare?.(given, wanted) ?? true);
    },
  };
}
