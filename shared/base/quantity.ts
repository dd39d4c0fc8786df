/** Formats a number with its noun: `1 item`, `2 items`. Pass an irregular plural as `many`. */
export const quantity = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;
