/** Credits of each pack (specification, section "Limits"). */
export const creditPacks = {
  starter: 25_000,
  builder: 150_000,
  growth: 600_000,
  scale: 2_000_000,
  volume: 10_000_000,
} as const;

export type PackId = keyof typeof creditPacks;

/** Returns true if the string is the name of a credit pack. */
export const isPackId = (text: string): text is PackId => Object.hasOwn(creditPacks, text);
