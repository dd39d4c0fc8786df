const whole = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const compact = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 });
const percent = new Intl.NumberFormat("en-US", { style: "percent", maximumFractionDigits: 1 });

/** Formats an integer: `12,345`. */
export const formatCount = (value: number): string => whole.format(value);
/** Formats a number in short form, for narrow places: `12.3K`. */
export const formatCompact = (value: number): string => compact.format(value);
const largestPart = 0.999;
/**
 * Formats a share from 0 to 1 as a percentage, to a tenth of a percent: `99.5%`. Only 1 is shown as
 * `100%`.
 */
export const formatShare = (share: number): string =>
  percent.format(share < 1 ? Math.min(share, largestPart) : share);
/** Formats a number of credits: `1 credit`, `12,345 credits`. */
export const formatCredits = (credits: number): string =>
  `${whole.format(credits)} ${credits === 1 ? "credit" : "credits"}`;
const change = new Intl.NumberFormat("en-US", {
  style: "percent",
  maximumFractionDigits: 1,
  signDisplay: "exceptZero",
});
const smallChange = new Intl.NumberFormat("en-US", {
  style: "percent",
  maximumSignificantDigits: 1,
  signDisplay: "exceptZero",
});
/** Changes below this size, in percent, are shown with one significant digit: `0.02%`. */
const smallChangeMax = 0.1;
/**
 * Formats a change in percent with its sign: `+12.5%`, `−3%`, `−0.02%`. Only 0 is shown as `0%`.
 */
export const formatPercentChange = (percents: number): string =>
  (Math.abs(percents) < smallChangeMax ? smallChange : change)
    .format(percents / 100)
    .replace("-", "−");
const signed = new Intl.NumberFormat("en-US", {
  maximumFractionDigits: 0,
  signDisplay: "exceptZero",
});
/** Formats an integer change with its sign: `+1,000`, `−8`, `0`. */
export const formatChange = (value: number): string => signed.format(value).replace("-", "−");

const plain = new Intl.NumberFormat("en-US", { maximumFractionDigits: 6 });
/** Formats a number that is not an amount of money, with up to six decimals: `2,175.2`. */
export const formatNumber = (value: number): string => plain.format(value);

const amounts = new Map<string, Intl.NumberFormat>();
/**
 * Formats an amount of money with its currency: `1,012.50 USD`. The currency decides the number of
 * decimals.
 * @param currency ISO 4217 code
 */
export function formatMoney(value: number, currency: string): string {
  const format = amounts.get(currency) ?? amountFormat(currency);
  amounts.set(currency, format);
  return `${format.format(value)} ${currency}`;
}

function amountFormat(currency: string): Intl.NumberFormat {
  const style = new Intl.NumberFormat("en-US", { style: "currency", currency });
  const { maximumFractionDigits: digits = 2 } = style.resolvedOptions();
  return new Intl.NumberFormat("en-US", {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}
