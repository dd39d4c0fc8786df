/** The prefix `A-` of an item number of retailer_c. Stored IDs do not have it. */
const letterPrefix = /^a-(?=\d)/i;

/**
 * Returns a search without surrounding blanks, and without the prefix `A-` of an item number. With
 * the prefix, no stored ID would match.
 */
export const searchedId = (search: string): string => search.trim().replace(letterPrefix, "");

/** Returns the words of a search in lower case, without the prefix `A-` of an item number. */
export const wordsOf = (search: string): readonly string[] =>
  search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "")
    .map((word) => word.replace(letterPrefix, ""));
