import * as v from "valibot";

/** Refuses text that cannot be shown or stored: control characters and halves of a character. */
export const visibleText = (param: string): v.CheckAction<string, string> =>
  v.check(
    (text) => text.isWellFormed() && !/\p{Cc}/u.test(text),
    `'${param}' has a control character or half of a character. Leave it out.`,
  );
