import type { Watchlist, WebhookDelivery, WebhookEndpoint } from "../../api/resources.ts";
import { formatCount, formatCredits, formatPercentChange } from "../../format/numbers.ts";
import { valueWords } from "../watchlists/item-values.ts";
import { ruleWords } from "../watchlists/pipeline-words.ts";
import type { EventEntry, FieldValue, RunEvent } from "./event-body.ts";
import type { PossibleRule } from "./event-rules.ts";

/** Returns the changes of an entry as lines: `price: 102.34 USD → 110.29 USD (+7.8%)`. */
export const changeLines = ({ changes = {} }: EventEntry, currency: string): readonly string[] =>
  Object.entries(changes).map(([field, { before, after }]) => {
    const [from, to] = [before, after].map((value) => valueWords(field, value, currency));
    return `${field}: ${from} → ${to}${percentWords(before, after)}`;
  });

const percents = 100;

function percentWords(before: FieldValue, after: FieldValue): string {
  if (typeof before !== "number" || typeof after !== "number" || before === 0) return "";
  return ` (${formatPercentChange(((after - before) / Math.abs(before)) * percents)})`;
}

/** Returns the values of an entry as a line: `price: 110.29 USD, inStock: yes`. */
export const valuesLine = ({ values }: EventEntry, currency: string): string =>
  Object.entries(values)
    .map(([field, value]) => `${field}: ${valueWords(field, value, currency)}`)
    .join(", ");

/**
 * Returns a sentence that names the rule behind an entry of an event.
 * @param rules the routes that can have caused the entry; undefined if the watchlist was deleted
 */
export function ruleSentence(
  { step }: EventEntry,
  type: string,
  rules: readonly PossibleRule[] | undefined,
): string {
  const at = step === undefined ? "" : ` (step ${step})`;
  if (type === "watchlist.product.delisted")
    return `Every delisted item is reported: the shop no longer has it${at}.`;
  if (rules === undefined)
    return `A rule of a watchlist that was deleted${at}. Its rules are no longer known.`;
  const texts = rules.map(({ route }) => `“${ruleWords(route)}”`);
  if (texts.length === 0)
    return `A rule that the pipeline no longer has${at}. The pipeline was changed after the event.`;
  if (texts.length === 1) return `Rule${at}: ${texts[0]}.`;
  return `One or more of these rules${at}: ${texts.join("; ")}.`;
}

/** Returns a sentence with the status, the reported items and the cost of a run. */
export function runSentence({
  runNumber,
  status,
  credits,
  changed,
  matched,
  delisted,
}: RunEvent): string {
  const counts = [
    [changed, "changed"],
    [matched, "matched a rule"],
    [delisted, "delisted"],
  ] as const;
  const items = counts
    .filter(([count]) => count > 0)
    .map(([count, words]) => `${formatCount(count)} ${words}`);
  const found = items.length === 0 ? "no item changed" : `items: ${items.join(", ")}`;
  return `Run ${formatCount(runNumber)} ended with the status “${status.replaceAll("_", " ")}”: ${found}. It cost ${formatCredits(credits)}.`;
}

interface Receiver {
  readonly delivery: WebhookDelivery;
  readonly list: Watchlist | undefined;
  readonly endpoint: WebhookEndpoint | undefined;
}

/** Returns a sentence that explains why an endpoint received an event. */
export function receiverSentence({ delivery, list, endpoint }: Receiver): string {
  if (endpoint === undefined) return "The endpoint that received the event was deleted.";
  if (list?.webhook_endpoint_id === endpoint.id)
    return "This endpoint received the event because the watchlist sends its events only to this endpoint.";
  const { events } = endpoint;
  if (events === null)
    return "This endpoint received the event because it receives all event types.";
  if (events.includes(delivery.event_type))
    return "This endpoint received the event because it subscribes to this event type.";
  return "This endpoint does not subscribe to this event type now: a user sent the event to the endpoint, or the settings were changed after the event.";
}
