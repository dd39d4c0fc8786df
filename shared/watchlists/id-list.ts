import * as v from "valibot";

/**
 * Schema of item IDs in a body: an array, or one string with IDs separated by newlines or commas.
 */
export const idList = (param: string): v.GenericSchema<unknown, string[]> =>
  v.union(
    [
      v.array(v.string()),
      v.pipe(
        v.string(),
        v.transform((joined) => joined.split(/\r\n|[\r\n,]/)),
      ),
    ],
    ({ input }) => refusal(param, input),
  );

function refusal(param: string, input: unknown): string {
  if (!Array.isArray(input)) {
    return `'${param}' must be an array of item IDs, or one string with IDs separated by newlines or commas.`;
  }
  const place = input.findIndex((id) => typeof id !== "string");
  return `'${param}[${place}]' must be a string. Put IDs in quotes.`;
}
