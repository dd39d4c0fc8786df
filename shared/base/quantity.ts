/** Formats a number with its noun: `1 item`, `2 items`. `many`: the plural, if it is irregular. */
export const quantity = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;
