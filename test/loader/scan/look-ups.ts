// Counts what code looks at in maps, sets and lists. Work that grows with the square of an input shows in it, whatever
// else the machine does. tokens/growth.test.ts counts characters.

const { get } = Map.prototype;
const { has } = Set.prototype;
const { startsWith } = String.prototype;
const { includes, findIndex, findLastIndex } = Array.prototype;

/** @returns Keys and elements that are looked at by `run` */
export function lookUpsOf(run: () => void): number {
  let count = 0;
  Map.prototype.get = function (key) {
    count++;
    return get.call(this, key);
  };
  Set.prototype.has = function (key) {
    count++;
    return has.call(this, key);
  };
  String.prototype.startsWith = function (sought) {
    count++;
    return startsWith.call(this, sought);
  };
  Array.prototype.includes = function (sought) {
    count += this.length;
    return includes.call(this, sought);
  };
  Array.prototype.findIndex = function (
    holds: (each: unknown, at: number, all: unknown[]) => unknown,
  ) {
    return findIndex.call(this, (each, at, all) => {
      count++;
      return holds(each, at, all);
    });
  };
  Array.prototype.findLastIndex = function (
    holds: (each: unknown, at: number, all: unknown[]) => unknown,
  ) {
    return findLastIndex.call(this, (each, at, all) => {
      count++;
      return holds(each, at, all);
    });
  };
  try {
    run();
  } finally {
    Map.prototype.get = get;
    Set.prototype.has = has;
    String.prototype.startsWith = startsWith;
    Object.assign(Array.prototype, { includes, findIndex, findLastIndex });
  }
  return count;
}
