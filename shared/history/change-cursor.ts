import { invalidParam } from "../base/errors.ts";
import { isIsoTime } from "../base/iso-time.ts";

/** Separates the parts of a cursor. A URL need not encode this character. */
const separator = "~";

/**
 * Joins the parts of a cursor, which names a position in a list of changes. No part may contain
 * `~`.
 */
export const cursorOf = (parts: readonly (number | string)[]): string => parts.join(separator);

/** Returns the parts that `cursorOf` joined, as strings. */
export const partsOf = (cursor: string): readonly string[] => cursor.split(separator);

/** Returns true if a part of a cursor is a valid time: ISO 8601 in UTC with milliseconds. */
export const isTime = (text: string): boolean =>
  isIsoTime(text) && new Date(text).toISOString() === text;

/** Returns true if a part of a cursor is a count: 1 to 12 decimal digits. */
export const isCount = (text: string): boolean => /^\d{1,12}$/.test(text);

/**
 * Builds the error 400 for a `starting_after` that is not a cursor of the requested list of
 * changes.
 */
export const malformedCursor = (): Error =>
  invalidParam(
    "starting_after",
    "'starting_after' must be the 'next_starting_after' of the previous page with the same 'sort' and " +
      "'compare'.",
  );
