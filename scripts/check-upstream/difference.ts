import { textOf } from "./listed.ts";

/** A value of a reply that the service stores differently. */
export interface Difference {
  /** Such as `results.0.data.url`. */
  readonly path: string;
  /** Dropped: the service stores nothing. Changed: it stores another value. */
  readonly kind: "dropped" | "changed";
  readonly said: unknown;
  readonly taken: unknown;
}

/**
 * Returns the values that were dropped or changed. A number sent as text counts as the same number.
 */
export function differences(said: unknown, taken: unknown, path: string): Difference[] {
  if (said === undefined) return [];
  if (taken === undefined) return [{ path, kind: "dropped", said, taken }];
  const isSameLength =
    !Array.isArray(said) || (Array.isArray(taken) && taken.length === said.length);
  if (isObject(said) && isObject(taken) && isSameLength) {
    const own = new Map<string, unknown>(Object.entries(taken));
    return Object.entries(said).flatMap(([name, inner]: [string, unknown]) =>
      differences(inner, own.get(name), `${path}.${name}`),
    );
  }
  return isSame(said, taken) ? [] : [{ path, kind: "changed", said, taken }];
}

const isSame = (said: unknown, taken: unknown): boolean =>
  typeof said === "string" && typeof taken === "number"
    ? Number(said) === taken
    : textOf(said) === textOf(taken);

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

/** Formats a difference for the report. */
export const shownDifference = ({ path, kind, said, taken }: Difference): string =>
  kind === "dropped"
    ? `${path}: ${brief(said)}`
    : `${path}: ${brief(said)} taken as ${brief(taken)}`;

const briefMax = 60;

/** Returns a value as JSON, cut if it is long. */
export function brief(value: unknown): string {
  if (Array.isArray(value) && value.some(isObject)) return `${value.length} entries`;
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > briefMax
    ? `${text.slice(0, briefMax)}… (${textOf(value).length} characters)`
    : text;
}
