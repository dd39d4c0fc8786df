import { textOf } from "./listed.ts";

/** A value of a reply that the service drops or stores differently. */
export interface Difference {
  /** The path of the value, such as `results.0.data.url`. */
  readonly path: string;
  /** `dropped`: the service stores no value. `changed`: it stores another value than was sent. */
  readonly kind: "dropped" | "changed";
  readonly sent: unknown;
  readonly taken: unknown;
}

/**
 * Compares a value that a server sent with the value that the service stores, and returns what was
 * dropped or changed. A number sent as a string counts as the same number. Returns an empty list if
 * nothing was sent.
 * @param path the path of the value in the reply
 */
export function differences(sent: unknown, taken: unknown, path: string): Difference[] {
  if (sent === undefined) return [];
  if (taken === undefined) return [{ path, kind: "dropped", sent, taken }];
  const isSameLength =
    !Array.isArray(sent) || (Array.isArray(taken) && taken.length === sent.length);
  if (isObject(sent) && isObject(taken) && isSameLength) {
    const own = new Map<string, unknown>(Object.entries(taken));
    return Object.entries(sent).flatMap(([name, inner]: [string, unknown]) =>
      differences(inner, own.get(name), `${path}.${name}`),
    );
  }
  return isSame(sent, taken) ? [] : [{ path, kind: "changed", sent, taken }];
}

const isSame = (sent: unknown, taken: unknown): boolean =>
  typeof sent === "string" && typeof taken === "number"
    ? Number(sent) === taken
    : textOf(sent) === textOf(taken);

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

/**
 * Formats a difference for a finding: `path: sent` for a dropped value, or `path: sent taken as …`
 * for a changed value.
 */
export const formatDifference = ({ path, kind, sent, taken }: Difference): string =>
  kind === "dropped"
    ? `${path}: ${brief(sent)}`
    : `${path}: ${brief(sent)} taken as ${brief(taken)}`;

const briefMax = 60;

/**
 * Returns a value as JSON. Cuts JSON off after 60 characters, and then adds the length of the
 * value. For an array that contains objects, returns only the number of its entries. For undefined,
 * returns `nothing`.
 */
export function brief(value: unknown): string {
  if (Array.isArray(value) && value.some(isObject)) return `${value.length} entries`;
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > briefMax
    ? `${text.slice(0, briefMax)}… (${textOf(value).length} characters)`
    : text;
}
