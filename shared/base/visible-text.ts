import * as v from "valibot";

/** True for text without control characters and unpaired surrogates. */
export const isVisibleText = (text: string): boolean =>
  text.isWellFormed() && !/\p{Cc}/u.test(text);

const visible = "[^\\x00-\\x1f\\x7f-\\x9f]";

/** The pattern of `visibleText`, for the OpenAPI document. */
export const visiblePattern = `^${visible}*$`;

/** The same pattern for text that must not be blank. */
export const visibleNamePattern = `^${visible}*[^\\s\\x00-\\x1f\\x7f-\\x9f\\ufeff]${visible}*$`;

/** Length of a text in code points. */
export const lengthOf = (text: string): number => Array.from(text).length;

/** Refuses text with control characters or unpaired surrogates. */
export const visibleText = (param: string): v.CheckAction<string, string> =>
  v.check(isVisibleText, `'${param}' must not contain control characters or unpaired surrogates.`);
