import * as v from "valibot";

/** True for text that can be shown and stored: without control characters and halves of a character. */
export const isVisibleText = (text: string): boolean =>
  text.isWellFormed() && !/\p{Cc}/u.test(text);

/** Refuses text that cannot be shown or stored. */
export const visibleText = (param: string): v.CheckAction<string, string> =>
  v.check(
    isVisibleText,
    `'${param}' has a control character or half of a character. Leave it out.`,
  );
