import * as v from "valibot";
import { count } from "../base/wire-schema.ts";
import type { ReadStatus } from "../scrapers/scraper.ts";
import type { Shop } from "../platforms/catalog.ts";
import { countByStatus, type StatusCounts } from "./envelope.ts";
import type { MeteredRead } from "./metered-read.ts";

const describedCount = (description: string) => v.pipe(count, v.description(description));

/**
 * Creates the schema of the 200 response of an offers endpoint from the schema of one result
 * (specification, section "Item envelope"). `title` names the schema in the OpenAPI document.
 */
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
        requested: describedCount("Unique items."),
        ok: describedCount("Complete results: charged."),
        partial: describedCount("Always 0: these results cannot be partial."),
        notFound: describedCount("The item does not exist on the platform: charged."),
        unavailable: describedCount("No result: refunded. Try again later."),
        elapsedMs: describedCount("Duration of the call in milliseconds."),
      }),
      credits: describedCount("Credits charged, as in the header X-Service-Credits."),
    }),
    v.title(title),
  );

/** The response body of an offers call. */
export interface OfferEnvelope<Result> {
  readonly platform: string;
  readonly marketplace: string;
  readonly results: readonly Result[];
  readonly stats: StatusCounts & { readonly elapsedMs: number };
  readonly credits: number;
}

/** The body of an offers response, and the credits and balance that the call reports. */
export interface OfferReply<Result> {
  readonly body: OfferEnvelope<Result>;
  /** Credits charged for the call. */
  readonly credits: number;
  /** The account's balance after the call. */
  readonly balance: number;
  /** Credits held while the call ran. */
  readonly reserved: number;
}

/**
 * Builds the response body of an offers call, with the charged credits and the account's balance.
 */
export function offerReply<Answer extends { readonly status: ReadStatus }, Result>(
  { platform, marketplace }: Shop,
  { answers, results, credits, balance, reserved, elapsedMs }: MeteredRead<Answer, Result>,
): OfferReply<Result> {
  const stats = { ...countByStatus(answers), elapsedMs };
  return { body: { platform, marketplace, results, stats, credits }, credits, balance, reserved };
}
