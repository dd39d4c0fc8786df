/** A part of the address that a page does not apply. */
export interface IgnoredPart {
  readonly name: string;
  readonly value: string;
  /** The reason, as the end of a sentence. */
  readonly reason: string;
}

/**
 * The valid values of each parameter of a page's address; undefined for a parameter that accepts
 * any text.
 */
export type QueryForm = Readonly<Record<string, readonly string[] | undefined>>;

/**
 * Parses the query parameters of a page's address. `ignored` contains the parameters that the page
 * does not have and those with an invalid value, each with the reason.
 */
export function readQuery(
  query: URLSearchParams,
  form: QueryForm,
): { readonly values: Readonly<Record<string, string>>; readonly ignored: readonly IgnoredPart[] } {
  const values: Record<string, string> = {};
  const ignored: IgnoredPart[] = [];
  for (const [name, value] of query) {
    const valid = form[name];
    if (!Object.hasOwn(form, name)) {
      const names = Object.keys(form).join(", ");
      ignored.push({ name, value, reason: `this page has only ${names}` });
    } else if (valid !== undefined && !valid.includes(value)) {
      ignored.push({ name, value, reason: `the valid values are ${valid.join(", ")}` });
    } else {
      values[name] = value;
    }
  }
  return { values, ignored };
}
