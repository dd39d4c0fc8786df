/** How long before its reply a server may have read an item: longer ago is no reading of now. */
export const readingAgeMaxMs = 24 * 60 * 60 * 1_000;
