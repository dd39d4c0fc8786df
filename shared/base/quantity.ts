/** A number with its noun: `1 item`, `2 items`, `1 batch` and `2 batches` with `many` given. */
export const quantity = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;
