import * as v from "valibot";

/** Item ids as clients send them: an array, or one string with newlines or commas between them. */
export const idList = (param: string): v.GenericSchema<unknown, string[]> =>
  v.union(
    [
      v.array(v.string(`'${param}' is a string.`)),
      v.pipe(
        v.string(),
        v.transform((joined) => joined.split(/[\n,]/)),
      ),
    ],
    `'${param}' is an array of item ids, or one string with ids separated by newlines or commas.`,
  );
