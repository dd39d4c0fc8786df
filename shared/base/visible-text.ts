import * as v from "valibot";

/**
 * Returns true if a string has no control characters, no characters that change the direction of
 * writing, and no unpaired surrogates. Returns true for an empty string.
 */
export const isVisibleText = (text: string): boolean =>
  text.isWellFormed() && !/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u.test(text);

const hidden = "\\x00-\\x1f\\x7f-\\x9f\\u202a-\\u202e\\u2066-\\u2069";
const visible = `[^${hidden}]`;

/**
 * Pattern of the strings that `isVisibleText` accepts, for the OpenAPI document. Unlike
 * `isVisibleText`, it also accepts unpaired surrogates.
 */
export const visiblePattern = `^${visible}*$`;

/** Like `visiblePattern`, but requires at least one character that is not white space. */
export const visibleNamePattern = `^${visible}*[^\\s${hidden}\\ufeff]${visible}*$`;

/** Returns the length of a string in Unicode code points. */
export const lengthOf = (text: string): number => Array.from(text).length;

/**
 * Creates a check of a string parameter named `param`, for use in a schema. The check accepts the
 * strings for which `isVisibleText` returns true.
 */
export const visibleText = (param: string): v.CheckAction<string, string> =>
  v.check(
    isVisibleText,
    `'${param}' must not contain control characters, characters that change the direction of ` +
      "writing, or unpaired surrogates. Remove them.",
  );
