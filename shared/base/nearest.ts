import { distance } from "fastest-levenshtein";

/** Longer text is no mistyped name, and comparing it would take time that a caller decides. */
const comparedLengthMax = 64;

/**
 * The valid value that a mistyped one is nearest to, whatever their case. Undefined when none is
 * near enough, and when several are equally near: then a suggestion would be a guess.
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

/** A third of the longer text may differ, rounded up, so that short values must be nearly right. */
const editsMax = (value: string, candidate: string): number =>
  Math.ceil(Math.max(value.length, candidate.length) / 3);

/** A sentence for an error message, with the space before it: ` Did you mean 'days'?`, or nothing. */
export function didYouMean(value: string, valid: readonly string[]): string {
  const found = nearest(value, valid);
  return found === undefined ? "" : ` Did you mean '${found}'?`;
}
