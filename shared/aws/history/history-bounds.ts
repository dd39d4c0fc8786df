/** Bounds of the rows of a history. Only the simulation sets lower values. */
export const historyBounds = {
  /** Maximum number of characters of a chunk of lines before compression. */
  chunkCharactersMax: 1024 * 1024,
  /**
   * Rows above this size, in bytes, are claimed (see `putRows`). A transaction costs two write units
   * for each KB. A claimed row costs two, then one for each KB, and one more request.
   */
  claimedAbove: 16 * 1024,
};
