/** Separates the texts of different elements within one value, so that amounts are not joined. */
export const textBoundary = "\u0001";
