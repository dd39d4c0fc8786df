import { distance } from "fastest-levenshtein";

/** Maximum length of a compared text: longer text is not a mistyped name, and slow to compare. */
const comparedLengthMax = 64;

/**
 * The valid value nearest to a mistyped one, ignoring case. Undefined if none is near enough, or if
 * several are equally near.
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

/** Maximum distance: a third of the longer text, rounded up. */
const editsMax = (value: string, candidate: string): number =>
  Math.ceil(Math.max(value.length, candidate.length) / 3);

/** A sentence for an error message with a leading space, such as ` Did you mean 'days'?`, or "". */
export function didYouMean(value: string, valid: readonly string[]): string {
  const found = nearest(value, valid);
  return found === undefined ? "" : ` Did you mean '${found}'?`;
}
