import * as v from "valibot";
import { didYouMean } from "../base/nearest.ts";

/** Pattern of names that are short and plain enough to repeat in an error message. */
export const plainName = /^[\w.-]{1,64}$/;

/** Schema of an object that refuses unknown keys, because they may be mistyped. */
export function strict<Entries extends v.ObjectEntries>(what: string, entries: Entries) {
  const keys = Object.keys(entries);
  return v.strictObject(entries, ({ expected, input }) => {
    if (expected !== "never") return `${what} must be an object with the keys ${keys.join(", ")}.`;
    const name = typeof input === "string" && plainName.test(input) ? input : undefined;
    return (
      `${what} has an unknown key${name === undefined ? "" : ` '${name}'`}. ` +
      `Accepted keys: ${keys.join(", ")}.${didYouMean(name ?? "", keys)}`
    );
  });
}
