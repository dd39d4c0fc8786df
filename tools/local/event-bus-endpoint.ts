import { randomUUID } from "node:crypto";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import * as v from "valibot";
import type { BusRule, BusRuleStore } from "./event-bus-rules.ts";
import { type EventPattern, matchesPattern, parsePattern } from "./event-pattern.ts";
import { readJson } from "./local-server.ts";
import { localAccount } from "./template.ts";

/** An event as the targets of rules receive it. */
export interface BusEvent {
  readonly version: "0";
  readonly id: string;
  readonly "detail-type": string;
  readonly source: string;
  readonly account: string;
  readonly time: string;
  readonly region: string;
  readonly resources: readonly string[];
  readonly detail: unknown;
}

export interface EventBusOptions {
  /** Names of the buses. */
  readonly buses: readonly string[];
  readonly rules: BusRuleStore;
  /** Sends an event to the target of a rule: the ARN of a queue. */
  readonly send: (targetArn: string, event: BusEvent) => Promise<void>;
  /** Receives each event that a bus accepts, and the JSON text of its detail. */
  readonly onEvent?: (event: BusEvent, detail: string) => void;
}

/** An error that the endpoint returns. `type` is its name in the EventBridge API. */
class BusError extends Error {
  readonly type: string;

  constructor(type: string, message: string) {
    super(message);
    this.type = type;
  }
}

const invalid = (message: string): BusError => new BusError("ValidationException", message);

/**
 * Limits of PutEvents: the maximum number of entries, and the size in bytes that the request must
 * be below.
 */
const entriesMax = 10;
const requestBytes = 256 * 1024;
/** The number of latest events that `GET /events` returns. */
const keptMax = 1_000;

/**
 * Creates an HTTP listener for the part of the EventBridge API that the local world needs:
 * PutEvents, and rules with queues as targets. `GET /events` returns the latest events.
 */
export function eventBusEndpoint(options: EventBusOptions): RequestListener {
  const keptEvents: BusEvent[] = [];
  const keep = (event: BusEvent): void => {
    keptEvents.push(event);
    if (keptEvents.length > keptMax) keptEvents.shift();
  };
  return (request, response) => {
    if (request.method === "GET" && request.url === "/events") {
      send(response, 200, { events: keptEvents });
      return;
    }
    answer(request, { ...options, keep })
      .then((body) => send(response, 200, body))
      .catch((error: unknown) => {
        const known = error instanceof BusError ? error : invalid(String(error));
        send(response, 400, { __type: known.type, message: known.message });
      });
  };
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/x-amz-json-1.1" });
  response.end(JSON.stringify(body));
}

interface Serving extends EventBusOptions {
  readonly keep: (event: BusEvent) => void;
}

async function answer(request: IncomingMessage, serving: Serving): Promise<unknown> {
  const operation = String(request.headers["x-amz-target"]).replace("AWSEvents.", "");
  const body = await readJson(request);
  switch (operation) {
    case "PutEvents":
      return putEvents(v.parse(putEventsInput, body), serving);
    case "PutRule":
      return putRule(v.parse(putRuleInput, body), serving);
    case "PutTargets":
      return putTargets(v.parse(putTargetsInput, body), serving);
    case "DeleteRule":
      serving.rules.remove(v.parse(ruleName, body));
      return {};
    default:
      throw new BusError(
        "UnknownOperationException",
        `The local event bus does not support the operation ${operation}. Use PutEvents, PutRule, PutTargets or DeleteRule.`,
      );
  }
}

const putEventsInput = v.object({
  Entries: v.array(
    v.object({
      EventBusName: v.string(),
      Source: v.string(),
      DetailType: v.string(),
      Detail: v.string(),
      Resources: v.optional(v.array(v.string()), []),
      Time: v.optional(v.number()),
    }),
  ),
});
type Entry = v.InferOutput<typeof putEventsInput>["Entries"][number];

async function putEvents(
  { Entries }: v.InferOutput<typeof putEventsInput>,
  serving: Serving,
): Promise<unknown> {
  if (Entries.length === 0 || Entries.length > entriesMax) {
    throw invalid(
      `A request must have 1 to ${entriesMax} entries (got ${Entries.length}). Split the request.`,
    );
  }
  const bytes = Entries.reduce((sum, entry) => sum + bytesOf(entry), 0);
  if (bytes >= requestBytes) {
    throw invalid(
      `The entries of a request must have fewer than ${requestBytes} bytes together (got ${bytes}). Send fewer entries.`,
    );
  }
  const results = [];
  for (const entry of Entries) results.push(await putEvent(entry, serving));
  return {
    FailedEntryCount: results.filter((result) => "ErrorCode" in result).length,
    Entries: results,
  };
}

function bytesOf({ Source, DetailType, Detail, Resources, Time }: Entry): number {
  const texts = [Source, DetailType, Detail, ...Resources];
  const timeBytes = Time === undefined ? 0 : 14;
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), timeBytes);
}

async function putEvent(entry: Entry, { buses, rules, send: sendTo, ...serving }: Serving) {
  const detail = jsonObject(entry.Detail);
  if (detail === null) {
    return { ErrorCode: "MalformedDetail", ErrorMessage: "Detail is not a JSON object." };
  }
  const event: BusEvent = {
    version: "0",
    id: randomUUID(),
    "detail-type": entry.DetailType,
    source: entry.Source,
    account: localAccount.id,
    time: new Date(entry.Time === undefined ? Date.now() : entry.Time * 1_000).toISOString(),
    region: localAccount.region,
    resources: entry.Resources,
    detail,
  };
  // EventBridge accepts and drops events for a bus that does not exist.
  if (!buses.includes(entry.EventBusName)) return { EventId: event.id };
  serving.keep(event);
  serving.onEvent?.(event, entry.Detail);
  for (const { bus, pattern, targets } of rules.all()) {
    if (bus !== entry.EventBusName || !matchesPattern(pattern, event)) continue;
    for (const { arn } of targets) await sendTo(arn, event);
  }
  return { EventId: event.id };
}

function jsonObject(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

const ruleName = v.pipe(
  v.object({ Name: v.string(), EventBusName: v.string() }),
  v.transform(({ Name, EventBusName }) => ({ name: Name, bus: EventBusName })),
);
const putRuleInput = v.object({
  Name: v.string(),
  EventBusName: v.string(),
  EventPattern: v.string(),
});

function putRule(
  { Name, EventBusName, EventPattern }: v.InferOutput<typeof putRuleInput>,
  { buses, rules }: Serving,
): unknown {
  if (!buses.includes(EventBusName)) {
    throw new BusError(
      "ResourceNotFoundException",
      `Event bus ${EventBusName} does not exist. Check its name.`,
    );
  }
  const pattern = patternOf(EventPattern);
  const name = { name: Name, bus: EventBusName };
  rules.put({ targets: [], ...rules.get(name), ...name, pattern });
  return { RuleArn: arnOf(name) };
}

function patternOf(text: string): EventPattern {
  try {
    return parsePattern(text);
  } catch (error) {
    throw new BusError(
      "InvalidEventPatternException",
      error instanceof Error ? error.message : String(error),
    );
  }
}

const putTargetsInput = v.object({
  Rule: v.string(),
  EventBusName: v.string(),
  Targets: v.array(v.object({ Id: v.string(), Arn: v.string() })),
});

function putTargets(
  { Rule, EventBusName, Targets }: v.InferOutput<typeof putTargetsInput>,
  { rules }: Serving,
): unknown {
  const rule = rules.get({ name: Rule, bus: EventBusName });
  if (rule === undefined) {
    throw new BusError(
      "ResourceNotFoundException",
      `Rule ${Rule} does not exist. Check its name, or create it with PutRule.`,
    );
  }
  const added = Targets.map(({ Id, Arn }) => ({ id: Id, arn: Arn }));
  const others = rule.targets.filter(({ id }) => added.every((target) => target.id !== id));
  rules.put({ ...rule, targets: [...others, ...added] });
  return { FailedEntryCount: 0, FailedEntries: [] };
}

const arnOf = ({ bus, name }: Pick<BusRule, "bus" | "name">): string =>
  `arn:aws:events:${localAccount.region}:${localAccount.id}:rule/${bus}/${name}`;
