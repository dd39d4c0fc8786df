/** Bounds of the rows of a history. Only the simulation uses lower values. */
export const historyBounds = {
  /** Maximum number of characters of a chunk of lines, before compression. */
  chunkCharactersMax: 1024 * 1024,
  /**
   * Size in bytes above which a row is first created without content (see `putRows`). A row with
   * its content in the transaction costs two write units for each KB. A row that is created without
   * content costs two write units in the transaction, then one for each KB in another request.
   */
  claimedAbove: 16 * 1024,
};
