/** Stands between texts of different elements of one value, so that amounts do not run together. */
export const textBoundary = "\u0001";
