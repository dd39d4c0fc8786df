/** Maximum number of occurrences of an amount that are checked. */
const matchesMax = 50;
/**
 * Maximum number of "<" signs that are checked, backwards from a position, to find the last tag
 * before it.
 */
const stepsMax = 200;

/**
 * Returns true if a page shows an amount outside scripts, styles and attributes. The search is
 * fast, but also finds numbers that equal the amount and are not prices.
 */
export function showsAmount(html: string, amount: number): boolean {
  const [whole = "", cents = ""] = amount.toFixed(2).split(".");
  const grouped = whole.replaceAll(/\B(?=(?:\d{3})+$)/g, "(?:[,' \u00A0\u2009\u202F]|&nbsp;)?");
  const fraction =
    cents === "00"
      ? String.raw`(?:[.,](?:00|-))?(?![.,]?\d)`
      : String.raw`(?:\s|[.,]|<[^<>]*>){1,8}${cents}(?!\d)`;
  const shown = new RegExp(String.raw`(?<![\d.,"'=:/_-])${grouped}${fraction}`, "g");
  let matches = 0;
  for (const { index } of html.matchAll(shown)) {
    if (!isInScript(html, index)) return true;
    matches += 1;
    if (matches === matchesMax) break;
  }
  return false;
}

/**
 * Returns true if a position in a page is inside a script or style element: the last tag before it
 * opens one.
 */
export function isInScript(html: string, index: number): boolean {
  let at = index;
  let steps = 0;
  do {
    at = html.lastIndexOf("<", at - 1);
    steps += 1;
  } while (at > 0 && steps < stepsMax && !/[a-z/!]/i.test(html[at + 1] ?? ""));
  return /^<(?:script|style)/i.test(html.slice(at, at + 8));
}
