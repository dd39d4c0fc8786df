/** The source of a ledger entry, which is a call or a step of a run. */
export type Source = (
  | { readonly request_id: string; readonly endpoint: string }
  | { readonly run: { readonly list: string; readonly number: number }; readonly step: string }
) & { readonly scraper: string; readonly items: number };

export interface Entry {
  readonly type: string;
  readonly credits: number;
  readonly before: number;
  readonly after: number;
  readonly source: Source | null;
  /** The number of charged items. Only charges and refunds have it. */
  readonly itemsCharged?: number;
  readonly at: number;
  /** The service's ID of the entry; undefined until a response contains it. */
  id?: string;
}

export interface Day {
  requests: number;
  successful: number;
  failed: number;
  credits: number;
}

/**
 * A model of an account's credits, based only on the specification. Each call and each step
 * reserves credits, is charged for its answers, and is refunded the rest.
 */
export interface CreditModel {
  balance: number;
  /** The credits of all purchases and of the signup grant. */
  lifetime: number;
  spent: number;
  readonly entries: Entry[];
  readonly days: Map<string, Day>;
}

/** Returns the UTC date of a time in epoch milliseconds. */
export const dateOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** Creates the credits of a new account, with its signup grant. */
export function openCredits(credits: number, at: number): CreditModel {
  const ledger: CreditModel = {
    balance: 0,
    lifetime: credits,
    spent: 0,
    entries: [],
    days: new Map(),
  };
  append(ledger, { type: "grant", credits, change: credits, source: null, at });
  return ledger;
}

interface Booking {
  readonly type: string;
  readonly credits: number;
  readonly change: number;
  readonly source: Source | null;
  readonly itemsCharged?: number;
  readonly at: number;
}

function append(ledger: CreditModel, { change, ...entry }: Booking): void {
  const before = ledger.balance;
  ledger.balance += change;
  ledger.entries.push({ ...entry, before, after: ledger.balance });
}

/** Applies a purchase or grant. */
export function addCredits(
  ledger: CreditModel,
  { type, credits, at }: { type: "purchase" | "grant"; credits: number; at: number },
): void {
  if (type === "purchase") ledger.lifetime += credits;
  append(ledger, { type, credits, change: credits, source: null, at });
}

export interface Work {
  readonly reserved: number;
  readonly charged: number;
  readonly itemsCharged: number;
  readonly source: Source;
  readonly at: number;
}

/**
 * Applies a call or a step to the model: its reservation, its charge and its refund. The balance
 * must cover the reservation.
 */
export function payFor(ledger: CreditModel, { reserved, charged, ...work }: Work): void {
  const { itemsCharged: _, ...reserving } = work;
  const { at } = work;
  append(ledger, { ...reserving, type: "reserve", credits: reserved, change: -reserved });
  const rest = reserved - charged;
  if (charged > 0) append(ledger, { ...work, type: "charge", credits: charged, change: 0 });
  if (rest > 0) append(ledger, { ...work, type: "refund", credits: rest, change: rest });
  ledger.spent += charged;
  const day = ledger.days.get(dateOf(at)) ?? { requests: 0, successful: 0, failed: 0, credits: 0 };
  ledger.days.set(dateOf(at), {
    requests: day.requests + 1,
    successful: day.successful + 1,
    failed: day.failed,
    credits: day.credits + charged,
  });
}
