/** Returns true if more than half of the words of a string occur in one of the titles of a page. */
export function isTitled(text: string, titles: readonly string[]): boolean {
  const words = wordsOf(text);
  if (words.length === 0) return false;
  return titles.some((title) => {
    const within = new Set(wordsOf(title));
    return words.filter((word) => within.has(word)).length * 2 > words.length;
  });
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\d]+/gu) ?? [];
