import { distance } from "fastest-levenshtein";

/**
 * Maximum length of a compared string. A longer string is not a mistyped name, and comparing it is
 * slow.
 */
const comparedLengthMax = 64;

/**
 * Returns the valid value that needs the fewest edits to equal `value`, ignoring case. Returns
 * undefined in four cases: `valid` is empty, several values are equally near, `value` has more than
 * 64 characters, or the edits exceed a third of the length of the longer string (rounded up).
 */
export function nearest(value: string, valid: readonly string[]): string | undefined {
  if (value.length > comparedLengthMax) return undefined;
  const ranked = valid
    .map((candidate) => ({
      candidate,
      edits: distance(value.toLowerCase(), candidate.toLowerCase()),
    }))
    .toSorted((a, b) => a.edits - b.edits);
  const [first, second] = ranked;
  if (first === undefined || first.edits > editsMax(value, first.candidate)) return undefined;
  return first.edits === second?.edits ? undefined : first.candidate;
}

/**
 * Returns the maximum number of edits for which two texts count as similar: a third of the length
 * of the longer text, rounded up.
 */
const editsMax = (value: string, candidate: string): number =>
  Math.ceil(Math.max(value.length, candidate.length) / 3);

/**
 * Returns a suggestion to append to an error message, such as ` Did you mean 'days'?` with its
 * leading space. Returns an empty string if `nearest` finds no value.
 */
export function didYouMean(value: string, valid: readonly string[]): string {
  const nearestValue = nearest(value, valid);
  return nearestValue === undefined ? "" : ` Did you mean '${nearestValue}'?`;
}
