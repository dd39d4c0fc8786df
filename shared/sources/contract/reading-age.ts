/** The maximum age of the data in a source's reply. Older data are ignored. */
export const readingAgeMaxMs = 24 * 60 * 60 * 1_000;
