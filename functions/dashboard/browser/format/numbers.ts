const whole = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const compact = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 });
const percent = new Intl.NumberFormat("en-US", { style: "percent", maximumFractionDigits: 1 });

/** `12,345`. */
export const formatCount = (value: number): string => whole.format(value);
/** `12.3K`, where there is little room. */
export const formatCompact = (value: number): string => compact.format(value);
/** `99.5%`, rounded down to a tenth of a percent, so that only a whole share is `100%`. */
export const formatShare = (share: number): string =>
  percent.format(share < 1 ? Math.floor(share * 1_000) / 1_000 : share);
/** `1 credit`, `12,345 credits`. */
export const formatCredits = (credits: number): string =>
  `${whole.format(credits)} ${credits === 1 ? "credit" : "credits"}`;
