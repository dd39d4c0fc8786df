import type { Ledger, ReserveOutcome } from "../../shared/credits/ledger.ts";

interface Reservation {
  readonly accountId: string;
  readonly holdId: string;
  readonly credits: number;
  readonly now: Date;
}

/** Reserves credits for an item call. The hold expires five minutes after `now`. */
export const reserveForCall = (
  ledger: Ledger,
  { accountId, holdId, credits, now }: Reservation,
): Promise<ReserveOutcome> =>
  ledger.reserve({
    accountId,
    holdId,
    credits,
    slot: true,
    source: { requestId: holdId },
    now,
    expiresAt: new Date(now.getTime() + 300_000),
  });
