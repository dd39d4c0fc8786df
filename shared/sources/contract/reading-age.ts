/** Maximum age of the data in a source's reply, in milliseconds. Older data is ignored. */
export const readingAgeMaxMs = 24 * 60 * 60 * 1_000;
