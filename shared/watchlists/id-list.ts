import * as v from "valibot";

/** Item ids as clients send them: an array, or one string with newlines or commas between them. */
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
    return `'${param}' is an array of item ids, or one string with ids separated by newlines or commas.`;
  }
  const place = input.findIndex((id) => typeof id !== "string");
  return `'${param}[${place}]' is not a string. Put ids in quotes.`;
}
