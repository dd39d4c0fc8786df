import type { Clock } from "../base/clock.ts";
import { currencyOf } from "../platforms/catalogue.ts";
import { scrapers, type ScraperId } from "../scrapers/catalogue.ts";
import type { RetailerDFields } from "../scrapers/product-fields.ts";
import type { Answer, Scraper } from "../scrapers/scraper.ts";
import { type Draw, drawFor, retailerDFields } from "./sandbox-catalogue.ts";
import {
  behaviourOf,
  scriptedFields,
  scriptedStatus,
  slowMilliseconds,
  type ScriptedBehaviour,
} from "./sandbox-script.ts";

/** Items that never existed; fixed per id. */
const notFoundShare = 0.02;
/** Reads that fail; drawn anew per id in every step of this length, so that a retry helps. */
const partialShare = 0.01;
const unavailableShare = 0.01;
const failureStepMs = 10 * 60 * 1_000;

/** One item at one moment. */
export interface SandboxMoment {
  readonly scraper: ScraperId;
  readonly marketplace: string;
  readonly id: string;
  readonly at: Date;
  readonly seed: string;
}

/**
 * The default source: an invented shop that needs no network. What it answers follows from
 * scraper, id, time and seed alone.
 */
export function sandbox({
  seed,
  clock,
}: {
  readonly seed: string;
  readonly clock: Clock;
}): Scraper {
  return {
    async read({ scraper, marketplace, ids, deadline }) {
      const at = clock.now();
      const remainingMs = deadline.getTime() - at.getTime();
      const hasSlow = ids.some((id) => behaviourOf(id) === "slow");
      const isLate = (id: string): boolean =>
        remainingMs <= 0 || (behaviourOf(id) === "slow" && remainingMs < slowMilliseconds);
      if (hasSlow && remainingMs > 0) await clock.sleep(Math.min(slowMilliseconds, remainingMs));
      return ids.map((id) =>
        isLate(id)
          ? { id, status: "unavailable", fetchedAt: at.toISOString() }
          : sandboxAnswer({ scraper, marketplace, id, at, seed }),
      );
    },
  };
}

/** What the sandbox says about one item; a pure function. */
export function sandboxAnswer(moment: SandboxMoment): Answer {
  const behaviour = behaviourOf(moment.id);
  return behaviour === undefined ? usualAnswer(moment) : scriptedAnswer(behaviour, moment);
}

function usualAnswer(moment: SandboxMoment): Answer {
  const { scraper, id, at } = moment;
  const fetchedAt = at.toISOString();
  const draw = drawOf(moment);
  if (draw(scraper, id, "not found") < notFoundShare) return { id, status: "not_found", fetchedAt };
  const failed = draw(scraper, id, "failed", Math.floor(at.getTime() / failureStepMs));
  if (failed < unavailableShare) return { id, status: "unavailable", fetchedAt };
  const fields = fieldsOf(moment);
  return failed < unavailableShare + partialShare
    ? { id, status: "partial", fetchedAt, fields: withoutStock(fields) }
    : { id, status: "ok", fetchedAt, fields };
}

function scriptedAnswer(behaviour: ScriptedBehaviour, moment: SandboxMoment): Answer {
  const { id, at } = moment;
  const fetchedAt = at.toISOString();
  const status = scriptedStatus(behaviour, { id, at });
  if (status === "not_found" || status === "unavailable") return { id, status, fetchedAt };
  const usual = fieldsOf(moment);
  const fields = scriptedFields(behaviour, { at, currency: currencyFor(moment), usual });
  return { id, status, fetchedAt, fields: status === "ok" ? fields : withoutPrice(fields) };
}

const drawOf = ({ seed, marketplace }: SandboxMoment): Draw => drawFor(`${seed}|${marketplace}`);

const currencyFor = ({ scraper, marketplace }: SandboxMoment): string =>
  currencyOf(scrapers[scraper].platform, marketplace);

const fieldsOf = (moment: SandboxMoment): RetailerDFields =>
  retailerDFields({
    id: moment.id,
    at: moment.at,
    currency: currencyFor(moment),
    draw: drawOf(moment),
  });

/** A read that got no further than the name: stock and price are not shown. */
function withoutStock({
  availability: _availability,
  ...fields
}: RetailerDFields): RetailerDFields {
  return withoutPrice(fields);
}

function withoutPrice({ price: _price, ...fields }: RetailerDFields): RetailerDFields {
  const { savings: _savings, ...object } = fields.retailer_d;
  return { ...fields, retailer_d: object };
}
