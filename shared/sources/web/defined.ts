type Maybe<Fields> = { readonly [Key in keyof Fields]: Fields[Key] | undefined };

/** Returns a copy of an object without the fields whose value is undefined. */
export function defined<Fields extends object>(fields: Maybe<Fields>): Fields {
  const shown = Object.entries(fields).filter(([, value]) => value !== undefined);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- entries lose their types
  return Object.fromEntries(shown) as Fields;
}
