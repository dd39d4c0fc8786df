import type { Clock } from "../../../shared/base/clock.ts";
import type { Platform } from "../../../shared/platforms/catalogue.ts";
import type { StepSources } from "../../../shared/runs/read-step.ts";
import {
  type Snapshot,
  type StepScraperId,
  stepScraperIds,
  stepScrapers,
} from "../../../shared/scrapers/catalogue.ts";
import type { FieldType } from "../../../shared/scrapers/fields.ts";
import type { ItemLooks, Look, OffersLook } from "../../support/run-model-answers.ts";
import { showLooks } from "../../support/run-model-sources.ts";
import { type ScriptedAnswers, scriptedSources } from "../../support/scripted-sources.ts";

/** The sources' answers change after this many milliseconds, and repeat after `phases` changes. */
const phaseMs = 10 * 60_000;
const phases = 12;

/** Returns the phase of the sources' answers at a time in epoch milliseconds. */
export const phaseAt = (now: number): number => Math.floor(now / phaseMs) % phases;

/** IDs of a platform that the sources know. */
export const idsOf = (platform: Platform): readonly string[] =>
  Array.from({ length: 20 }, (_, n) =>
    platform === "retailer_a" ? `B0${String(n).padStart(8, "0")}` : String(1_000_000 + n),
  );

/** Returns a number that looks random and is the same for the same parts. */
function mixed(...parts: readonly (string | number)[]): number {
  let hash = 0x81_1c_9d_c5;
  for (const byte of Buffer.from(parts.join("/"))) hash = Math.imul(hash ^ byte, 0x01_00_01_93);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c_1b_3c_6d);
  return (hash ^ (hash >>> 13)) >>> 0;
}

const pick = <T>(values: readonly T[], ...parts: readonly (string | number)[]): T =>
  values[mixed(...parts) % values.length] as T;

const values: Readonly<Record<FieldType, readonly (string | number | boolean)[]>> = {
  number: [8, 9, 9.004, 10, 12.5],
  boolean: [true, true, true, false],
  string: ["new", "IN_STOCK", "S1"],
};

/**
 * Returns the status of an item in a phase. The last digit of the ID determines whether the item is
 * at times unavailable or delisted.
 */
function statusAt(id: string, at: number): "ok" | "partial" | "not_found" | "unavailable" {
  const digit = Number(id.at(-1));
  if (digit === 6 && at % 2 === 1) return "partial";
  if (digit === 7 && at % 4 === 3) return "not_found";
  if (digit === 8 && at % 3 === 1) return "unavailable";
  if (digit === 9) return pick(["ok", "partial", "not_found", "unavailable"], id, at);
  return "ok";
}

function fieldsAt(scraper: StepScraperId, id: string, at: number): Snapshot {
  const { fieldTypes, derivedFields } = stepScrapers[scraper];
  // Steady items never change. Other items change each of their fields every one to three phases.
  const isSteady = Number(id.at(-1)) < 2;
  const fields: Record<string, Snapshot[string]> = {};
  for (const [field, type] of Object.entries(fieldTypes)) {
    if (derivedFields.includes(field)) continue;
    const phase = isSteady ? 0 : at - (at % (1 + (mixed(id, field) % 3)));
    if (field === "offerListingId") fields[field] = pick(["offer1", "offer2"], id, phase);
    else if (field === "price" && mixed(id, phase, "none") % 9 === 0) fields[field] = null;
    else fields[field] = pick(values[type], id, field, phase);
  }
  return fields;
}

function offersAt(id: string, at: number): OffersLook {
  const status = statusAt(id, at);
  const count = mixed(id, "offers", at) % 4;
  const offers = Array.from({ length: count }, (_, n) => ({
    offerListingId: `offer${n + 1}`,
    price: pick([9, 10, 12], id, at, n),
    condition: pick(["new", "used_good", "refurbished"], id, n),
    seller: pick(["S1", "S2"], id, n),
    isBuybox: n === mixed(id, at) % 5,
  }));
  const total = count + (mixed(id, "unseen") % 3 === 0 ? 2 : 0);
  return { status: status === "partial" ? "ok" : status, total, offers };
}

function lookAt(scraper: StepScraperId, id: string, at: number): Look {
  const status = statusAt(id, at);
  if (scraper === "retailer_a.offers") return offersAt(id, at);
  if (scraper === "retailer_a.offer_check") {
    const isAnswered = status === "ok" || status === "partial";
    const buyable = ["offer1", "offer2"].filter((offer) => mixed(id, offer, at) % 2 === 0);
    return { status: isAnswered ? "ok" : "unavailable", buyable };
  }
  return { status, fields: fieldsAt(scraper, id, at) };
}

const kept = new Map<string, ItemLooks>();

/** Returns the sources' answers about an item in all phases. */
export function looksOf(platform: Platform, id: string): ItemLooks {
  const name = `${platform} ${id}`;
  const known = kept.get(name);
  if (known !== undefined) return known;
  const scrapers = stepScraperIds.filter((scraper) => stepScrapers[scraper].platform === platform);
  const looks: ItemLooks = Object.fromEntries(
    scrapers.map((scraper) => [
      scraper,
      Array.from({ length: phases }, (_, at) => lookAt(scraper, id, at)),
    ]),
  );
  kept.set(name, looks);
  return looks;
}

/** Returns the answers of one phase in the form that the scripted sources use. */
export function shownAt(platform: Platform, at: number): ScriptedAnswers {
  const { answers } = scriptedSources({ now: () => new Date(0), sleep: async () => {} });
  const items = new Proxy<Record<string, ItemLooks>>(
    {},
    { get: (_, id) => looksOf(platform, String(id)) },
  );
  showLooks(answers, { platform, items }, at);
  return answers;
}

const platformOf = (scraper: string): Platform => scraper.split(".")[0] as Platform;

/** Creates sources whose answers depend only on the item, the scraper and the time. */
export function sourcesByRule(clock: Clock): StepSources {
  const { sources, answers } = scriptedSources(clock);
  const at = (): number => phaseAt(clock.now().getTime());
  answers.product = (id, scraper) => shownAt(platformOf(scraper), at()).product(id, scraper);
  answers.offers = (id) => shownAt("retailer_a", at()).offers(id);
  answers.check = (offer) => shownAt("retailer_a", at()).check(offer);
  return sources;
}
