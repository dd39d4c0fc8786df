import * as v from "valibot";

/** True for text that can be shown and stored: without control characters and halves of a character. */
export const isVisibleText = (text: string): boolean =>
  text.isWellFormed() && !/\p{Cc}/u.test(text);

const visible = "[^\\x00-\\x1f\\x7f-\\x9f]";

/** The rule of `visibleText` for documents. */
export const visiblePattern = `^${visible}*$`;

/** The same for text that must not be blank once the blanks around it are removed. */
export const visibleNamePattern = `^${visible}*[^\\s\\x00-\\x1f\\x7f-\\x9f\\ufeff]${visible}*$`;

/** How many characters a person counts: one for each code point. */
export const lengthOf = (text: string): number => Array.from(text).length;

/** Refuses text that cannot be shown or stored. */
export const visibleText = (param: string): v.CheckAction<string, string> =>
  v.check(
    isVisibleText,
    `'${param}' has a control character or half of a character. Leave it out.`,
  );
