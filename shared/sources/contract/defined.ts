type Maybe<Fields> = { readonly [Key in keyof Fields]: Fields[Key] | undefined };

/**
 * Returns a copy of an object without the fields whose value is undefined, so that an unknown value
 * is absent from a result.
 */
export function omitUndefined<Fields extends object>(fields: Maybe<Fields>): Fields {
  const known = Object.entries(fields).filter(([, value]) => value !== undefined);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the filter removes only undefined values
  return Object.fromEntries(known) as Fields;
}
