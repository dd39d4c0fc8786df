/** A country with a marketplace. All prices of the marketplace are in one currency. */
export interface Country {
  readonly name: string;
  /** The country as an ISO 3166-1 alpha-2 code. */
  readonly country: string;
  /** The currency of the marketplace as an ISO 4217 code. */
  readonly currency: string;
}

/** Countries by marketplace code (specification, section "Platforms and marketplaces"). */
export const countries = {
  us: { name: "United States", country: "US", currency: "USD" },
  uk: { name: "United Kingdom", country: "GB", currency: "GBP" },
  de: { name: "Germany", country: "DE", currency: "EUR" },
  fr: { name: "France", country: "FR", currency: "EUR" },
  it: { name: "Italy", country: "IT", currency: "EUR" },
  es: { name: "Spain", country: "ES", currency: "EUR" },
  ca: { name: "Canada", country: "CA", currency: "CAD" },
  mx: { name: "Mexico", country: "MX", currency: "MXN" },
  jp: { name: "Japan", country: "JP", currency: "JPY" },
  au: { name: "Australia", country: "AU", currency: "AUD" },
  in: { name: "India", country: "IN", currency: "INR" },
  br: { name: "Brazil", country: "BR", currency: "BRL" },
  nl: { name: "Netherlands", country: "NL", currency: "EUR" },
  se: { name: "Sweden", country: "SE", currency: "SEK" },
  pl: { name: "Poland", country: "PL", currency: "PLN" },
} as const satisfies Record<string, Country>;

export type MarketplaceCode = keyof typeof countries;
