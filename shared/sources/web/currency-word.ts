/**
 * Signs that mean exactly one currency. `$` and `¥` are not included, because several currencies
 * use them.
 */
const signs: Readonly<Record<string, string>> = {
  "€": "EUR",
  "£": "GBP",
  US$: "USD",
  "₹": "INR",
};

/**
 * Returns the currency code in a string, in upper case, or the currency code for a currency sign in
 * the string. Does not check whether the code exists. Returns undefined if the text contains
 * neither.
 */
export function currencyIn(text: string): string | undefined {
  const trimmed = text.trim().replace(/(?<![A-Z])US\s+(?=\$)/u, "US");
  const code = /^[a-z]{3}$/i.test(trimmed) ? trimmed : /\b[A-Z]{3}\b/.exec(trimmed)?.[0];
  if (code !== undefined) return code.toUpperCase();
  return Object.entries(signs).find(([sign]) => trimmed.includes(sign))?.[1];
}
