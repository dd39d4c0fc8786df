import { createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import * as v from "valibot";
import type { DataFolder } from "./data-folder.ts";
import { readBody, readJson } from "./local-server.ts";
import type { Log } from "./log.ts";
import { quantity } from "../../shared/base/quantity.ts";

/** A received delivery. `GET /deliveries` returns all received deliveries, oldest first. */
interface Received {
  readonly received_at: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The raw body, which is the signed text. */
  readonly body: string;
  /** True if the signature matches a registered secret; null if no secret is registered. */
  readonly verified: boolean | null;
  /** The HTTP status that the receiver returned. */
  readonly answered: number;
}

interface State {
  readonly secrets: string[];
  readonly deliveries: Received[];
  /** The status of the next `times` deliveries. Later deliveries get 200. */
  behavior: { status: number; times: number };
}

/**
 * Path at which the deliveries of the demo workspace are received. The receiver accepts these
 * deliveries without storing them, so that they do not appear among other deliveries.
 */
export const demoReceiverPath = "/demo-workspace";

/** The number of stored deliveries. The receiver deletes older deliveries. */
const deliveriesMax = 5_000;
const bodyBytesMax = 20 * 1024 * 1024;

const secretRequest = v.object({ secret: v.pipe(v.string(), v.nonEmpty()) });
const behaviorRequest = v.object({
  status: v.pipe(v.number(), v.integer(), v.minValue(100), v.maxValue(599)),
  times: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0)), 1),
});

/**
 * Creates an HTTP listener that acts as a customer's webhook receiver. It prints one line for each
 * delivery, with the result of the signature check. `POST /secrets` registers a secret. `POST
 * /behavior` sets the status of the next deliveries.
 */
export function webhookReceiver(folder: DataFolder, log: Log): RequestListener {
  const state: State = {
    secrets: folder.read("receiver-secrets.json", v.array(v.string())) ?? [],
    deliveries: [],
    behavior: { status: 200, times: 0 },
  };
  return (request, response) => {
    answer({ state, folder, log }, request, response).catch((error: unknown) => {
      send(response, 400, { error: error instanceof Error ? error.message : String(error) });
    });
  };
}

interface Receiver {
  readonly state: State;
  readonly folder: DataFolder;
  readonly log: Log;
}

async function answer(
  { state, folder, log }: Receiver,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  switch (`${request.method} ${request.url}`) {
    case "GET /deliveries":
      return send(response, 200, state.deliveries);
    case "POST /secrets": {
      const { secret } = v.parse(secretRequest, await readJson(request));
      if (!state.secrets.includes(secret)) state.secrets.push(secret);
      folder.write("receiver-secrets.json", state.secrets);
      return send(response, 200, { secrets: state.secrets.length });
    }
    case "POST /behavior":
      state.behavior = v.parse(behaviorRequest, await readJson(request));
      return send(response, 200, state.behavior);
    case `POST ${demoReceiverPath}`:
      await readBody(request, bodyBytesMax);
      return send(response, 200, {});
    default:
      if (request.method !== "POST")
        return send(response, 405, {
          error: `This path accepts only POST (got ${String(request.method)}).`,
        });
      return receive(state, log, { request, response });
  }
}

async function receive(
  state: State,
  log: Log,
  { request, response }: { request: IncomingMessage; response: ServerResponse },
): Promise<void> {
  const body = await readBody(request, bodyBytesMax);
  if (!body)
    return send(response, 413, { error: `A delivery must have at most ${bodyBytesMax} bytes.` });
  const answered = nextStatus(state);
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
  );
  const delivery: Received = {
    received_at: new Date().toISOString(),
    path: request.url ?? "/",
    headers,
    body: body.toString("utf8"),
    verified: verify(state.secrets, headers["service-signature"], body),
    answered,
  };
  state.deliveries.push(delivery);
  if (state.deliveries.length > deliveriesMax) state.deliveries.shift();
  log(describe(delivery));
  send(response, answered, {});
}

function nextStatus(state: State): number {
  if (state.behavior.times <= 0) return 200;
  state.behavior.times -= 1;
  return state.behavior.status;
}

/**
 * Checks the signature header `t=<unix>,v1=<hex>`, which has several `v1` during a rotation of the
 * secret (specification, "Signature").
 */
function verify(
  secrets: readonly string[],
  header: string | undefined,
  body: Buffer,
): boolean | null {
  if (secrets.length === 0) return null;
  const parts = (header ?? "").split(",").map((part) => part.split("=", 2));
  const time = parts.find(([name]) => name === "t")?.[1] ?? "";
  const signatures = parts.filter(([name]) => name === "v1").map(([, hex]) => hex ?? "");
  return secrets.some((secret) => {
    const expected = createHmac("sha256", secret).update(`${time}.`).update(body).digest();
    return signatures.some((signature) => {
      const given = Buffer.from(signature, "hex");
      return given.length === expected.length && timingSafeEqual(given, expected);
    });
  });
}

const signatureWords = new Map([
  [true, "signature ok"],
  [false, "SIGNATURE WRONG"],
  [null, "signature not checked: no secret registered"],
]);

function describe(delivery: Received): string {
  const event = parseEvent(delivery.body);
  const words = [
    "webhook",
    event.type,
    event.id,
    ...(event.items === null ? [] : [quantity(event.items, "item")]),
    signatureWords.get(delivery.verified) ?? "",
    ...(delivery.answered === 200 ? [] : [`returned ${delivery.answered}`]),
  ];
  return words.join("  ");
}

const eventShape = v.object({
  type: v.string(),
  id: v.string(),
  data: v.record(v.string(), v.unknown()),
});

interface LoggedEvent {
  readonly type: string;
  readonly id: string;
  readonly items: number | null;
}

function parseEvent(body: string): LoggedEvent {
  try {
    const { type, id, data } = v.parse(eventShape, JSON.parse(body));
    const items = [data["changes"], data["products"]].find((entries) => Array.isArray(entries));
    return { type, id, items: items?.length ?? null };
  } catch {
    return { type: "no event", id: "-", items: null };
  }
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}
