/**
 * Formats a number with its noun: `1 item`, `2 items`.
 * @param one The noun in the singular.
 * @param many The noun in the plural. The default is `one` with an s.
 */
export const quantity = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;
