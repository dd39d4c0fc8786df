/** Signs of exactly one currency. `$` and `¥` belong to several. */
const signs: Readonly<Record<string, string>> = {
  "€": "EUR",
  "£": "GBP",
  US$: "USD",
  "₹": "INR",
};

/** Returns the ISO 4217 code of the currency that a text names. */
export function currencyIn(text: string): string | undefined {
  const trimmed = text.trim().replace(/(?<![A-Z])US\s+(?=\$)/u, "US");
  const code = /^[a-z]{3}$/i.test(trimmed) ? trimmed : /\b[A-Z]{3}\b/.exec(trimmed)?.[0];
  if (code !== undefined) return code.toUpperCase();
  return Object.entries(signs).find(([sign]) => trimmed.includes(sign))?.[1];
}
