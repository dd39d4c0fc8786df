/** The greatest age of data in a reply. Older data do not count as read. */
export const readingAgeMaxMs = 24 * 60 * 60 * 1_000;
