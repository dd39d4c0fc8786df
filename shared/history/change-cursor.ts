import { invalidParam } from "../base/errors.ts";
import { isIsoTime } from "../base/iso-time.ts";

/** Needs no encoding in a URL. */
const separator = "~";

/** Joins the parts of a cursor of a list of changes. */
export const cursorOf = (parts: readonly (number | string)[]): string => parts.join(separator);

/** Returns the parts of a cursor. */
export const partsOf = (cursor: string): readonly string[] => cursor.split(separator);

/** Returns true for an existing time in the form that cursors have. */
export const isTime = (text: string): boolean =>
  isIsoTime(text) && new Date(text).toISOString() === text;

export const isCount = (text: string): boolean => /^\d{1,12}$/.test(text);

export const malformedCursor = (): Error =>
  invalidParam(
    "starting_after",
    "'starting_after' must be the 'next_starting_after' of the previous page with the same 'sort' and " +
      "'compare'.",
  );
