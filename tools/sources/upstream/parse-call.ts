import type { IncomingMessage } from "node:http";
import { gunzipSync } from "node:zlib";
import * as v from "valibot";
import { type StepScraperId, stepScraperIds } from "../../../shared/scrapers/catalog.ts";
import { upstreamRequests } from "../../../shared/sources/upstream/contract.ts";

/** A valid call of `POST /read`. */
export interface UpstreamCall {
  /** The position of the call among the valid calls, from 1. */
  readonly number: number;
  readonly scraper: StepScraperId;
  /** IDs of the items or of the offers. */
  readonly ids: readonly string[];
  readonly headers: IncomingMessage["headers"];
  readonly body: Readonly<Record<string, unknown>>;
}

const named = v.looseObject({ scraper: v.picklist(stepScraperIds) });
const idLists = v.object({
  ids: v.optional(v.array(v.string()), []),
  offers: v.optional(v.array(v.object({ offerListingId: v.string() })), []),
});

/** The HTTP status and the reason with which the server refuses a call. */
export interface Refusal {
  readonly status: number;
  readonly refusal: string;
}

/**
 * Parses a call of `POST /read`. For an invalid call, returns the HTTP status and the reason.
 * @param bytes the body; null if it was too large
 * @param number the position of the call among the valid calls, from 1, if the call is valid
 */
export function parseCall(
  { headers }: Pick<IncomingMessage, "headers">,
  bytes: Buffer | null,
  number: number,
): UpstreamCall | Refusal {
  if (!/^application\/json\b/.test(headers["content-type"] ?? "")) {
    return { status: 415, refusal: "The header Content-Type must be application/json" };
  }
  const body = v.safeParse(named, parseJson(bytes, headers["content-encoding"]));
  if (!body.success) {
    return { status: 400, refusal: "'scraper' must be one of the scrapers in GET /capabilities" };
  }
  const { scraper } = body.output;
  const request = v.safeParse(upstreamRequests.get(scraper) ?? v.never(), body.output);
  if (!request.success) {
    const [issue] = request.issues;
    return { status: 400, refusal: `${v.getDotPath(issue) ?? "The body"}: ${issue.message}` };
  }
  const { ids, offers } = v.parse(idLists, body.output);
  const asked = [...ids, ...offers.map(({ offerListingId }) => offerListingId)];
  return { number, scraper, ids: asked, headers, body: body.output };
}

function parseJson(bytes: Buffer | null, encoding: string | undefined): unknown {
  try {
    return JSON.parse(String(encoding === "gzip" ? gunzipSync(bytes ?? "") : bytes));
  } catch {
    return undefined;
  }
}
