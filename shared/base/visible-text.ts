import * as v from "valibot";

/**
 * Returns true if a string has neither control characters nor unpaired surrogates. An empty string
 * is valid.
 */
export const isVisibleText = (text: string): boolean =>
  text.isWellFormed() && !/\p{Cc}/u.test(text);

const visible = "[^\\x00-\\x1f\\x7f-\\x9f]";

/**
 * Pattern of strings without control characters, for the OpenAPI document. Does not exclude
 * unpaired surrogates.
 */
export const visiblePattern = `^${visible}*$`;

/** Like `visiblePattern`, but requires at least one character that is not white space. */
export const visibleNamePattern = `^${visible}*[^\\s\\x00-\\x1f\\x7f-\\x9f\\ufeff]${visible}*$`;

/** Length of a string in Unicode code points. */
export const lengthOf = (text: string): number => Array.from(text).length;

/**
 * Schema check that rejects control characters and unpaired surrogates in the parameter `param`.
 */
export const visibleText = (param: string): v.CheckAction<string, string> =>
  v.check(isVisibleText, `'${param}' must not contain control characters or unpaired surrogates.`);
