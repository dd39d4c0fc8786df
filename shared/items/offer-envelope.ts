import * as v from "valibot";
import { count } from "../base/wire-schema.ts";
import type { ReadStatus } from "../scrapers/scraper.ts";
import type { Shop } from "../platforms/catalogue.ts";
import { countItems, type ItemCounts } from "./envelope.ts";
import type { MeteredRead } from "./metered-read.ts";

const counted = (description: string) => v.pipe(count, v.description(description));

/** The 200 answer around results of one kind (specification, section "Item envelope"). */
export const offerEnvelope = <Result extends v.GenericSchema>(result: Result, title: string) =>
  v.pipe(
    v.object({
      platform: v.string(),
      marketplace: v.string(),
      results: v.pipe(
        v.array(result),
        v.description("One per unique item, in the order of the request."),
      ),
      stats: v.object({
        requested: counted("Unique items."),
        ok: counted("Answered in full: charged."),
        partial: counted("Always 0: these answers cannot be partial."),
        notFound: counted("Items that do not exist, as the source reports: charged."),
        unavailable: counted("No answer this time: refunded, try again later."),
        elapsedMs: counted("Duration of the call in milliseconds."),
      }),
      credits: counted("Credits charged, as in the header X-Service-Credits."),
    }),
    v.title(title),
  );

export interface OfferEnvelope<Result> {
  readonly platform: string;
  readonly marketplace: string;
  readonly results: readonly Result[];
  readonly stats: ItemCounts & { readonly elapsedMs: number };
  readonly credits: number;
}

/** A settled read and what the account is left with. */
export interface OfferReply<Result> {
  readonly body: OfferEnvelope<Result>;
  /** Credits charged for the call. */
  readonly credits: number;
  /** The account's balance after the call. */
  readonly balance: number;
  /** Credits held while the call ran. */
  readonly reserved: number;
}

/** The answer to a read that was settled. */
export function offerReply<Answer extends { readonly status: ReadStatus }, Result>(
  { platform, marketplace }: Shop,
  { answers, results, credits, balance, reserved, elapsedMs }: MeteredRead<Answer, Result>,
): OfferReply<Result> {
  const stats = { ...countItems(answers), elapsedMs };
  return { body: { platform, marketplace, results, stats, credits }, credits, balance, reserved };
}
