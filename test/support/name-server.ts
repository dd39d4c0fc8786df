import type { LookupFunction } from "node:net";

/** The addresses that each lookup returns, in order. Later lookups return the last entry. */
export type Answers = readonly (readonly string[])[];

/**
 * Creates a fake DNS resolver with scripted addresses. `lookup` serves connections, and `resolver`
 * serves the registration of endpoints. Each request gets the next entry of `answers`. Further
 * requests get the last entry. For an empty answer, `lookup` fails with ENOTFOUND. `asked` counts
 * the requests.
 */
export function nameServer(...answers: Answers) {
  let asked = 0;
  const next = (): readonly string[] => {
    const found = answers[Math.min(asked, answers.length - 1)] ?? [];
    asked += 1;
    return found;
  };
  const lookup: LookupFunction = (_, { all }, callback) => {
    const found = next().map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
    const [first] = found;
    if (first === undefined) {
      return callback(Object.assign(new Error("no such name"), { code: "ENOTFOUND" }), "");
    }
    return all === true ? callback(null, found) : callback(null, first.address, first.family);
  };
  return {
    lookup,
    resolver: { resolve: () => Promise.resolve(next()) },
    asked: () => asked,
  };
}
