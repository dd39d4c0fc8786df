/** Bounds of the rows of a history. Only the simulation uses lower values. */
export const historyBounds = {
  /** Maximum number of characters of a chunk of lines, before compression. */
  chunkCharactersMax: 1024 * 1024,
  /**
   * Size in bytes above which a row is first created without content (see `putRows`). In a
   * transaction, a row costs two write units for each KB. A row that is created first costs two
   * units, then one for each KB, and one more request.
   */
  claimedAbove: 16 * 1024,
};
