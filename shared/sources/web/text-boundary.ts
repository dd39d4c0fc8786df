/** Separates texts of different elements in one value, so that amounts are not joined. */
export const textBoundary = "\u0001";
