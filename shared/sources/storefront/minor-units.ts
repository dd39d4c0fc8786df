/**
 * The currencies whose minor unit is not a hundredth, by the number of decimal places (ISO 4217).
 * `Intl` does not follow this standard: for example, it has no decimals for the Iraqi dinar and the
 * Colombian peso.
 */
const withoutDecimals = "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF".split(
  " ",
);
const withThreeDecimals = "BHD IQD JOD KWD LYD OMR TND".split(" ");
const withFourDecimals = "CLF UYW".split(" ");

const unusualDecimals: ReadonlyMap<string, number> = new Map([
  ...withoutDecimals.map((code) => [code, 0] as const),
  ...withThreeDecimals.map((code) => [code, 3] as const),
  ...withFourDecimals.map((code) => [code, 4] as const),
]);
const usualDecimals = 2;

/**
 * Returns the number of decimal places of a currency, by its ISO 4217 code; 2 for an unknown code.
 */
export const decimalsOf = (currency: string): number =>
  unusualDecimals.get(currency) ?? usualDecimals;

/**
 * Converts an integer amount in minor units, such as cents, to units of the currency, such as
 * dollars.
 * @param currency an ISO 4217 code
 */
export const amountOfMinor = (minor: number, currency: string): number =>
  // Dividing two integers gives the number that is nearest to the exact result, so it is printed
  // without a rounding error.
  minor / 10 ** decimalsOf(currency);
