import { createHmac } from "node:crypto";
import fc from "fast-check";
import { anything, aText, idOf, type Predicted } from "./compare.ts";
import {
  type DeliveryModel,
  digestOf,
  endOpen,
  type EndpointModel,
  type EventModel,
  iso,
  type Model,
  recover,
  redeliver,
  sendEvent,
  shownEvent,
  tickModel,
} from "./model.ts";
import {
  call,
  command,
  compare,
  conflict,
  drawnOf,
  expectBody,
  expectRefusal,
  mayProbe,
  missing,
  notFound,
  type Played,
  readPages,
  type Refusal,
  refused,
  require,
  type Session,
  settle,
} from "./session.ts";
import { statusOf } from "./service.ts";

const hosts = ["ok", "ok", "ok", "flaky", "down", "gone"] as const;
const urlOf = (drawn: number): string =>
  `https://${hosts[drawn % hosts.length]}.hooks.dev/${drawn % 14}`;
const filters: readonly (readonly string[] | null)[] = [
  null,
  null,
  null,
  [],
  ["watchlist.product.changed"],
  ["watchlist.run.completed", "watchlist.product.delisted"],
  ["watchlist.product.matched", "webhook.test"],
];

const live = ({ endpoints }: Model): EndpointModel[] => endpoints.filter((one) => !one.deleted);

const nowhere = ({ endpoints }: Model, drawn: number): string =>
  drawnOf(
    [
      ...endpoints.filter(({ deleted }) => deleted).map(({ id }) => id),
      `we_${"0".repeat(24)}`,
      "we_1",
    ],
    drawn,
  ) ?? "";

const shownEndpoint = (endpoint: EndpointModel, now: number): Record<string, Predicted> => ({
  id: endpoint.id,
  object: "webhook_endpoint",
  url: endpoint.url,
  description: endpoint.description,
  events: endpoint.events,
  enabled: endpoint.enabled,
  status: endpoint.enabled ? anything : "disabled",
  disabled_reason: endpoint.enabled ? null : "user",
  failing_since: anything,
  last_error: anything,
  last_success_at: anything,
  secret_hint: endpoint.secret.slice(-4),
  previous_secret_expires_at:
    endpoint.previous !== null && endpoint.previous.until > now
      ? iso(endpoint.previous.until)
      : null,
  created_at: iso(endpoint.createdAt),
  updated_at: aText,
});

const isSecret = (secret: unknown): boolean => /^whsec_[A-Za-z0-9+/]{44}$/.test(String(secret));

const path = "/v1/webhook_endpoints";

const create = command<{ url: number; filter: number; enabled: number }>({
  name: "create endpoint",
  weight: 3,
  drawn: fc.record({ url: fc.nat(83), filter: fc.nat(6), enabled: fc.nat(5) }),
  async play(session, { url: drawn, filter, enabled: how }) {
    if (!mayProbe(session)) return "not played";
    const { model, service } = session;
    const url = urlOf(drawn);
    const events = filters[filter] ?? null;
    const description = how === 0 ? null : `Endpoint ${drawn}`;
    const body = {
      url: how === 1 ? url.replace("https://", "HTTPS://") : url,
      ...(how === 0 ? {} : { description }),
      ...(filter === 0 ? {} : { events }),
      ...(how === 5 ? { enabled: false } : {}),
    };
    const answer = await call(session, { method: "POST", path, body });
    if (live(model).some((one) => one.url === url)) {
      return expectRefusal("create endpoint", answer, refused("url"));
    }
    if (live(model).length >= 10) return expectRefusal("create endpoint", answer, conflict);
    const { id, secret } = answer.body as unknown as { id: string; secret: string };
    const endpoint: EndpointModel = {
      id,
      url,
      description,
      events,
      enabled: how !== 5,
      secret,
      previous: null,
      createdAt: service.now(),
      deleted: false,
    };
    expectBody("create endpoint", answer, {
      status: 201,
      body: { ...shownEndpoint(endpoint, service.now()), id: idOf("we"), secret: isSecret },
    });
    model.endpoints.push(endpoint);
    return "201";
  },
});

const refusals: readonly (readonly [object, Refusal])[] = [
  [{}, missing("url")],
  [{ url: 1 }, refused("url")],
  [{ url: "http://ok.hooks.dev/" }, refused("url")],
  [{ url: "https://127.0.0.1/" }, refused("url")],
  [{ url: "https://10.1.2.3/" }, refused("url")],
  [{ url: "https://localhost/" }, refused("url")],
  [{ url: "https://ok.hooks.dev:80/" }, refused("url")],
  [{ url: "https://api.example.com/" }, refused("url")],
  [{ url: "https://ok.hooks.dev/", events: ["nothing"] }, refused(/^events/)],
  [{ url: "https://ok.hooks.dev/", events: "webhook.test" }, refused("events")],
  [{ url: "https://ok.hooks.dev/", enabled: "yes" }, refused("enabled")],
  [{ url: "https://ok.hooks.dev/", description: "x".repeat(121) }, refused("description")],
];

const badEndpoint = command<number>({
  name: "bad endpoint",
  weight: 2,
  drawn: fc.nat(refusals.length - 1),
  async play(session, place) {
    if (!mayProbe(session)) return "not played";
    const [body = {}, refusal = notFound] = refusals[place] ?? [];
    const answer = await call(session, { method: "POST", path, body });
    return expectRefusal(`endpoint ${JSON.stringify(body)}`, answer, refusal);
  },
});

interface Named {
  readonly endpoint: number;
  readonly how: number;
  readonly value: number;
}
const drawnEndpoint = fc.record({ endpoint: fc.nat(), how: fc.nat(9), value: fc.nat(83) });

const read = command<Named>({
  name: "get endpoints",
  weight: 2,
  drawn: drawnEndpoint,
  async play(session, { endpoint: drawn, how }) {
    const { model, service } = session;
    const get = (id: string) => call(session, { method: "GET", path: `${path}${id}` });
    if (how === 0) return expectRefusal("get", await get(`/${nowhere(model, drawn)}`), notFound);
    const found = drawnOf(live(model), drawn);
    if (how < 5 || found === undefined) {
      const data = live(model).map((one) => shownEndpoint(one, service.now() + 100));
      const body = { object: "list", data, has_more: false };
      expectBody("endpoints", await get(""), { status: 200, body });
      return "200";
    }
    const body = shownEndpoint(found, service.now() + 100);
    expectBody("endpoint", await get(`/${found.id}`), { status: 200, body });
    return "200";
  },
});

const patch = command<Named>({
  name: "patch endpoint",
  weight: 3,
  drawn: drawnEndpoint,
  async play(session, { endpoint: drawn, how, value }) {
    if (!mayProbe(session)) return "not played";
    const { model, service } = session;
    const found = drawnOf(live(model), drawn);
    const send = (id: string, body: object) =>
      call(session, { method: "PATCH", path: `${path}/${id}`, body });
    if (found === undefined) {
      return expectRefusal("patch", await send(nowhere(model, drawn), { enabled: true }), notFound);
    }
    const url = urlOf(value);
    const body = {
      ...(how < 2 && { url }),
      ...(how % 3 === 0 && { description: value % 2 === 0 ? null : `New ${value}` }),
      ...(how % 4 === 1 && { events: filters[value % filters.length] ?? null }),
      ...(how > 5 && { enabled: value % 3 !== 0 }),
    };
    const answer = await send(found.id, body);
    if (body.url !== undefined && live(model).some((one) => one !== found && one.url === url)) {
      return expectRefusal("patch endpoint", answer, refused("url"));
    }
    Object.assign(found, body);
    if (body.enabled === false) endOpen(model, found);
    expectBody("patch endpoint", answer, {
      status: 200,
      body: shownEndpoint(found, service.now()),
    });
    await settle(session);
    return "200";
  },
});

const rotate = command<Named>({
  name: "rotate secret",
  weight: 2,
  drawn: drawnEndpoint,
  async play(session, { endpoint: drawn, how }) {
    const { model, service } = session;
    const found = drawnOf(live(model), drawn);
    const send = (id: string, body?: object) =>
      call(session, { method: "POST", path: `${path}/${id}/rotate`, ...(body && { body }) });
    if (found === undefined) {
      return expectRefusal("rotate", await send(nowhere(model, drawn)), notFound);
    }
    if (how === 0) {
      const answer = await send(found.id, { overlap: "no" });
      return expectRefusal("rotate", answer, refused("overlap"));
    }
    const overlap = how > 3;
    const answer = await send(found.id, how > 6 ? undefined : { overlap });
    const now = service.now();
    const { secret } = answer.body as unknown as { secret: string };
    found.previous = overlap ? { secret: found.secret, until: now + 86_400_000 } : null;
    found.secret = secret;
    expectBody("rotate", answer, {
      status: 200,
      body: { ...shownEndpoint(found, now), secret: isSecret },
    });
    return overlap ? "200 overlap" : "200";
  },
});

const test = command<Named>({
  name: "test endpoint",
  weight: 2,
  drawn: drawnEndpoint,
  async play(session, { endpoint: drawn }) {
    if (!mayProbe(session)) return "not played";
    const { model, service } = session;
    const found = drawnOf(live(model), drawn);
    const send = (id: string) => call(session, { method: "POST", path: `${path}/${id}/test` });
    if (found === undefined)
      return expectRefusal("test", await send(nowhere(model, drawn)), notFound);
    const now = service.now() + 100;
    const before = service.sent.length;
    const answer = await send(found.id);
    const status = found.enabled ? statusOf(found.url, 1) : null;
    const delivered = status === 200;
    const error = status === null ? "endpoint_disabled" : delivered ? null : `status_${status}`;
    expectBody("test", answer, {
      status: 200,
      body: {
        object: "webhook_test",
        endpoint_id: found.id,
        delivered,
        status_code: status,
        duration_ms: found.enabled ? 3 : 0,
        error,
      },
    });
    model.deliveries.push({
      endpointId: found.id,
      event: null,
      type: "webhook.test",
      at: now,
      state: delivered ? "delivered" : "failed",
      attempts: status === null ? 0 : 1,
      error,
    });
    compare("sent by the test", service.sent.length - before, status === null ? 0 : 1);
    await settle(session);
    return delivered ? "200 delivered" : "200 not delivered";
  },
});

/**
 * Checks the webhooks that were sent since the last check. Each must have gone to an enabled
 * endpoint, with a signature for each valid secret, the newest secret first (invariants D1 and D4).
 */
export function expectSigned(session: Session): void {
  const { service, model } = session;
  for (const { body, headers, at, url } of service.sent.slice(session.looked)) {
    const endpoint = live(model).find((one) => one.url === url);
    if (endpoint === undefined || !endpoint.enabled)
      throw new Error(`No enabled endpoint has the URL ${url} of ${body}`);
    const { secret, previous } = endpoint;
    const t = Math.floor(at / 1_000);
    const secrets = [
      secret,
      ...(previous !== null && previous.until > at ? [previous.secret] : []),
    ];
    const macs = secrets.map((one) =>
      createHmac("sha256", one).update(`${t}.${body}`).digest("hex"),
    );
    const signature = [`t=${t}`, ...macs.map((mac) => `v1=${mac}`)].join(",");
    compare("Service-Signature", headers["Service-Signature"], signature);
    const { type } = JSON.parse(body) as { type: string };
    compare("Service-Event-Type", headers["Service-Event-Type"], type);
  }
  session.looked = service.sent.length;
}

const remove = command<Named>({
  name: "delete endpoint",
  drawn: drawnEndpoint,
  async play(session, { endpoint: drawn, how }) {
    const { model } = session;
    const found = drawnOf(live(model), drawn);
    const end = (id: string) => call(session, { method: "DELETE", path: `${path}/${id}` });
    if (found === undefined || how === 0) {
      return expectRefusal("delete", await end(nowhere(model, drawn)), notFound);
    }
    expectBody("delete", await end(found.id), {
      status: 200,
      body: { id: found.id, object: "webhook_endpoint", deleted: true },
    });
    found.deleted = true;
    endOpen(model, found);
    await settle(session);
    return "200";
  },
});

interface ShownDelivery {
  readonly id: string;
  readonly endpoint_id: string;
  readonly event_id: string;
  readonly event_type: string;
  readonly watchlist_id: string | null;
  readonly state: string;
  readonly attempt_count: number;
  readonly last_status: number | null;
  readonly last_error: string | null;
  readonly next_attempt_at: string | null;
  readonly created_at: string;
  readonly run_id: string | null;
}

const states: Readonly<Record<DeliveryModel["state"], readonly string[]>> = {
  delivered: ["delivered"],
  failed: ["failed"],
  open: ["pending", "delivered", "failed"],
  ended: ["delivered", "failed"],
};

const nameOf = (type: string, at: string, endpointId: string): string =>
  [at, endpointId, type].join(" ");

/**
 * Reads the events that the feed has after the last known event ID, and stores their IDs in the
 * model.
 */
async function learnIds(session: Session): Promise<void> {
  const { events } = session.model;
  for (;;) {
    const at = events.findIndex(({ id }) => id === undefined);
    if (at < 0) return;
    const after = at === 0 ? "" : `&after=${events[at - 1]?.id}`;
    const place = `/v1/events?limit=100${after}`;
    const answer = await call(session, { method: "GET", path: place });
    compare(place, answer.status, 200);
    const { data } = answer.body as unknown as { data: readonly Envelope[] };
    require(place, data.length > 0, `${events.length - at} events are missing`);
    for (const [n, { id, type, created_at: created }] of data.entries()) {
      const event = events[at + n];
      if (event === undefined) throw new Error(`${place}: unexpected event ${id}`);
      compare(place, [type, created], [event.type, iso(event.at)]);
      event.id = id;
    }
  }
}

const isOf = (delivery: DeliveryModel, shown: ShownDelivery): boolean =>
  delivery.endpointId === shown.endpoint_id &&
  delivery.type === shown.event_type &&
  iso(delivery.at) === shown.created_at &&
  (delivery.event === null || delivery.event.id === shown.event_id);

const listOf = (delivery: DeliveryModel): string | null => delivery.event?.run.list.id ?? null;

interface Filter {
  readonly state?: string;
  readonly event_type?: string;
  readonly watchlist_id?: string;
  readonly endpoint_id?: string;
}

/** Compares the delivery log with the model. */
export async function expectLog(session: Session, filter: Filter, limit = 100): Promise<void> {
  const { model } = session;
  const query = new URLSearchParams(filter as Record<string, string>).toString();
  const at = `/v1/webhook_deliveries${query === "" ? "" : `?${query}`}`;
  await learnIds(session);
  const shown = await readPages<ShownDelivery>(session, at, limit);
  compare(at, new Set(shown.map(({ id }) => id)).size, shown.length);
  const times = shown.map(({ created_at: created }) => created);
  compare(at, times, times.toSorted().toReversed());
  const known = model.deliveries.filter(
    (one) =>
      (filter.event_type === undefined || one.type === filter.event_type) &&
      (filter.watchlist_id === undefined || listOf(one) === filter.watchlist_id) &&
      (filter.endpoint_id === undefined || one.endpointId === filter.endpoint_id) &&
      (filter.state === undefined || states[one.state].includes(filter.state)),
  );
  const left = new Map<string, DeliveryModel[]>();
  for (const one of known) {
    const name = nameOf(one.type, iso(one.at) ?? "", one.endpointId);
    left.set(name, [...(left.get(name) ?? []), one]);
  }
  for (const one of shown) {
    const name = nameOf(one.event_type, one.created_at, one.endpoint_id);
    const candidates = left.get(name) ?? [];
    const place = candidates.findIndex((delivery) => isOf(delivery, one));
    const delivery = candidates[place];
    if (delivery === undefined)
      throw new Error(`${at}: unexpected delivery ${JSON.stringify(one)}`);
    candidates.splice(place, 1);
    expectDelivery(at, one, delivery);
  }
  // If a delivery may be in several states, a log that is filtered by state may omit it.
  const isCertain = (one: DeliveryModel): boolean =>
    filter.state === undefined || states[one.state].length === 1;
  const lacking = [...left.values()].flat().filter(isCertain);
  if (lacking.length > 0) {
    throw new Error(
      `${at}: lacks ${lacking.map(({ type, at: when, state }) => `${type} ${iso(when)} ${state}`).join(", ")}`,
    );
  }
}

function expectDelivery(what: string, shown: ShownDelivery, delivery: DeliveryModel): void {
  const { state, attempts, error } = delivery;
  require(what, states[state].includes(shown.state), `${JSON.stringify(shown)} is ${state}`);
  compare(what, shown.run_id === null, delivery.event === null);
  if (attempts !== null) compare(`${what} attempts`, shown.attempt_count, attempts);
  if (state === "delivered") {
    compare(what, [shown.last_status, shown.last_error, shown.next_attempt_at], [200, null, null]);
  }
  if (state === "failed") compare(what, [shown.last_error, shown.next_attempt_at], [error, null]);
  if (state !== "open") compare(what, shown.next_attempt_at, null);
}

const log = command<Named & { readonly limit: number }>({
  name: "delivery log",
  weight: 4,
  drawn: fc.record({
    endpoint: fc.nat(),
    how: fc.nat(9),
    value: fc.nat(83),
    limit: fc.constantFrom(100, 100, 50, 7),
  }),
  async play(session, { endpoint: drawn, how, value, limit: wanted }) {
    const { model } = session;
    const limit = model.deliveries.length > 60 ? Math.max(wanted, 50) : wanted;
    if (how === 0) {
      const answer = await call(session, {
        method: "GET",
        path: "/v1/webhook_deliveries?state=lost",
      });
      return expectRefusal("log", answer, refused("state"));
    }
    const endpoint = drawnOf(model.endpoints, drawn);
    const list = drawnOf([...model.lists.map(({ id }) => id), ...model.gone], drawn);
    const types = [...new Set(model.deliveries.map(({ type }) => type))];
    const type = drawnOf(types, value);
    await expectLog(
      session,
      {
        ...(how % 2 === 0 && endpoint && { endpoint_id: endpoint.id }),
        ...(how % 3 === 0 && { state: ["pending", "delivered", "failed"][value % 3] ?? "" }),
        ...(how % 4 === 1 && type !== undefined && { event_type: type }),
        ...(how === 7 && list !== undefined && { watchlist_id: list }),
      },
      limit,
    );
    return "200";
  },
});

interface ShownAttempt {
  readonly attempt: number | null;
  readonly status: number | null;
  readonly error: string | null;
  readonly request_headers: Readonly<Record<string, string>> | null;
}

/** Compares the requests in a delivery's details with the requests that were sent. */
function expectRequests(
  { service }: Session,
  delivery: {
    readonly id: string;
    readonly body: string;
    readonly attempts: readonly ShownAttempt[];
  },
): void {
  const sent = service.sent.filter(({ headers }) => headers["Service-Delivery-Id"] === delivery.id);
  for (const { attempt, request_headers: headers } of delivery.attempts) {
    const request = sent.find((one) => one.headers["Service-Attempt"] === `${attempt}`);
    compare("request headers", headers, request?.headers ?? null);
    if (request !== undefined) compare("request body", delivery.body, request.body);
  }
}

const one = command<Named>({
  name: "delivery",
  weight: 3,
  drawn: drawnEndpoint,
  async play(session, { endpoint: drawn, how, value }) {
    const { model, service } = session;
    const base = "/v1/webhook_deliveries";
    if (how === 0) {
      const answer = await call(session, { method: "GET", path: `${base}/dlv_${"0".repeat(24)}` });
      return expectRefusal("delivery", answer, notFound);
    }
    const endpoint = drawnOf(live(model), drawn);
    if (endpoint === undefined) return "not played";
    const shown = await readPages<ShownDelivery>(session, `${path}/${endpoint.id}/deliveries`, 100);
    const chosen = drawnOf(shown, value);
    if (chosen === undefined) return "none";
    await learnIds(session);
    const delivery = model.deliveries.find((candidate) => isOf(candidate, chosen));
    if (delivery === undefined) throw new Error(`unexpected delivery ${JSON.stringify(chosen)}`);
    if (how < 4) {
      const answer = await call(session, { method: "GET", path: `${base}/${chosen.id}` });
      const {
        attempts,
        request_body: body,
        ...rest
      } = answer.body as unknown as ShownDelivery & {
        request_body: string;
        attempts: readonly ShownAttempt[];
      };
      compare("delivery", rest, chosen);
      expectRequests(session, { id: chosen.id, body, attempts });
      const sent = attempts.filter(({ attempt }) => attempt !== null);
      compare("delivery", sent.length, Math.min(25, chosen.attempt_count));
      compare("delivery", attempts.at(-1)?.error ?? null, chosen.last_error);
      return "200";
    }
    const before = service.sent.length;
    const answer = await call(session, {
      method: "POST",
      path: `${base}/${chosen.id}/redeliver`,
    });
    if (delivery.event === null || !endpoint.enabled) {
      return expectRefusal("redeliver", answer, conflict);
    }
    compare("redeliver", answer.status, 202);
    compare("redeliver", (answer.body as unknown as ShownDelivery).state, "pending");
    redeliver(delivery, endpoint);
    await settle(session);
    const sent = service.sent.slice(before).filter(({ url }) => url === endpoint.url);
    require("redeliver", sent.length > 0, "the event is sent again");
    compare(
      "redelivered event",
      sent.map(({ body }) => (JSON.parse(body) as { id: string }).id).includes(chosen.event_id),
      true,
    );
    return "202";
  },
});

const recoveryMs = 2_000;
const recovery = command<Named>({
  name: "recover",
  weight: 2,
  drawn: drawnEndpoint,
  async play(session, { endpoint: drawn, how, value }) {
    const { model, service } = session;
    const endpoint = drawnOf(live(model), drawn);
    const send = (id: string, body: object) =>
      call(session, { method: "POST", path: `${path}/${id}/recover`, body });
    const now = service.now() + 100;
    const since = now - (value + 1) * 3_600_000 - 1;
    if (endpoint === undefined) {
      const answer = await send(nowhere(model, drawn), { since: iso(since) });
      return expectRefusal("recover", answer, notFound);
    }
    if (how < 2 && endpoint.enabled) {
      const [body, refusal] =
        drawnOf(
          [
            [{}, missing("since")],
            [{ since: iso(now + 3_600_000) }, refused("since")],
            [{ since: "yesterday" }, refused("since")],
            [{ since: iso(now - 31 * 86_400_000) }, refused("since")],
            [{ since: iso(since), until: iso(now + 3_600_000) }, refused("until")],
            [{ since: iso(since), until: iso(since) }, refused("since")],
          ] as const,
          value,
        ) ?? ([{}, missing("since")] as const);
      return expectRefusal("recover", await send(endpoint.id, body), refusal);
    }
    const until = how > 7 ? now - 1_800_000 : null;
    const answer = await send(endpoint.id, {
      since: iso(since),
      ...(until === null ? {} : { until: iso(until) }),
    });
    if (!endpoint.enabled) return expectRefusal("recover", answer, conflict);
    expectBody("recover", answer, {
      status: 202,
      body: {
        object: "webhook_recovery",
        endpoint_id: endpoint.id,
        since: iso(since),
        until: iso(until ?? now),
      },
    });
    recover(model, endpoint, { since, until: until ?? now });
    await settle(session);
    // Recovered deliveries are due one after another, a millisecond apart.
    await service.pass(recoveryMs, (tick) => tickModel(model, tick, service.now()));
    return "202";
  },
});

interface Envelope {
  readonly id: string;
  readonly type: string;
  readonly created_at: string;
  readonly data: { readonly run_number?: number; readonly events_digest?: string };
}

/** Compares the feed with the model's events, page by page. */
export async function expectFeed(
  session: Session,
  wanted: readonly EventModel[],
  { filter, limit }: { filter: string; limit: number },
): Promise<readonly Envelope[]> {
  const all: Envelope[] = [];
  let after = "";
  for (let pages = 0; ; pages += 1) {
    const at = `/v1/events?limit=${limit}${filter}${after}`;
    const answer = await call(session, { method: "GET", path: at });
    compare(at, answer.status, 200);
    const page = answer.body as unknown as {
      data: readonly Envelope[];
      has_more: boolean;
      next_after: string | null;
    };
    require(at, page.data.length <= limit, "no more than the limit");
    all.push(...page.data);
    if (!page.has_more) break;
    require(at, pages < 600 && page.next_after !== null, "the feed ends");
    after = `&after=${page.next_after}`;
  }
  compare(
    `events ${filter}`,
    all.map(({ type, created_at: at }) => `${type} ${at}`),
    wanted.map(({ type, at }) => `${type} ${iso(at)}`),
  );
  for (const [at, event] of wanted.entries()) {
    compare(`event ${at} of the feed${filter}`, all[at], shownEvent(event));
  }
  for (const [at, event] of wanted.entries()) {
    event.id ??= all[at]?.id ?? "";
    compare("the ID of an event", all[at]?.id, event.id);
  }
  compare("IDs of events", new Set(all.map(({ id }) => id)).size, all.length);
  return all;
}

/** Checks that each run's digest contains the IDs of its events in the feed. */
export function expectDigests(feed: readonly Envelope[]): void {
  let ids: string[] = [];
  for (const { id, type, data } of feed) {
    ids.push(id);
    if (type !== "watchlist.run.completed") continue;
    compare("events_digest", data.events_digest, digestOf(ids));
    ids = [];
  }
}

const events = command<Named & { readonly limit: number }>({
  name: "events",
  weight: 4,
  drawn: fc.record({
    endpoint: fc.nat(),
    how: fc.nat(9),
    value: fc.nat(83),
    limit: fc.constantFrom(100, 100, 40, 7),
  }),
  async play(session, { endpoint: drawn, how, value, limit: wanted }) {
    const { model } = session;
    const limit = model.events.length > 60 ? 100 : wanted;
    if (how === 0) return badFeed(session, value);
    const type =
      how % 3 === 0
        ? drawnOf([...new Set(model.events.map((event) => event.type))], value)
        : undefined;
    const list =
      how % 4 === 1
        ? drawnOf([...model.lists.map(({ id }) => id), ...model.gone], drawn)
        : undefined;
    const from = how === 8 ? drawnOf(model.events, value)?.at : undefined;
    const filter = [
      type === undefined ? "" : `&type=${type}`,
      list === undefined ? "" : `&watchlist_id=${list}`,
    ].join("");
    const chosen = model.events.filter(
      (event) =>
        (type === undefined || event.type === type) &&
        (list === undefined || event.run.list.id === list) &&
        (from === undefined || event.at >= from),
    );
    if (from === undefined) {
      const feed = await expectFeed(session, chosen, { filter, limit });
      if (type === undefined && list === undefined) expectDigests(feed);
      return "200";
    }
    return feedSince(session, from, chosen);
  },
});

const event = command<Named>({
  name: "event",
  weight: 2,
  drawn: drawnEndpoint,
  async play(session, { how, value }) {
    await learnIds(session);
    const known = how === 0 ? undefined : drawnOf(session.model.events, value);
    const id = known?.id ?? drawnOf([`evt_${"0".repeat(24)}`, "evt_1"], value);
    const answer = await call(session, { method: "GET", path: `/v1/events/${id}` });
    if (known === undefined) return expectRefusal("event", answer, notFound);
    compare("event", answer.status, 200);
    compare("event", answer.body, shownEvent(known));
    return "200";
  },
});

const sendOne = command<Named>({
  name: "send an event",
  weight: 2,
  drawn: drawnEndpoint,
  async play(session, { endpoint: drawn, how, value }) {
    const { model, service } = session;
    await learnIds(session);
    const known = how === 0 ? undefined : drawnOf(model.events, value);
    const endpoint = how === 1 ? undefined : drawnOf(live(model), drawn);
    const answer = await call(session, {
      method: "POST",
      path: `/v1/events/${known?.id ?? `evt_${"0".repeat(24)}`}/send`,
      body: how === 2 ? {} : { webhook_endpoint_id: endpoint?.id ?? nowhere(model, drawn) },
    });
    if (how === 2) return expectRefusal("send", answer, missing("webhook_endpoint_id"));
    if (known === undefined) return expectRefusal("send", answer, notFound);
    if (endpoint === undefined)
      return expectRefusal("send", answer, refused("webhook_endpoint_id"));
    if (!endpoint.enabled) return expectRefusal("send", answer, conflict);
    compare("send", answer.status, 202);
    const shown = answer.body as unknown as ShownDelivery;
    compare("send", [shown.state, shown.event_id], ["pending", known.id]);
    sendEvent(model, known, endpoint);
    const before = service.sent.length;
    await settle(session);
    const sent = service.sent.slice(before).filter(({ url }) => url === endpoint.url);
    const ids = sent.map(({ headers }) => headers["Service-Delivery-Id"]);
    require("send", ids.includes(shown.id), "the event is sent");
    return "202";
  },
});

async function badFeed(session: Session, drawn: number): Promise<string> {
  const [query, param] = drawnOf(
    [
      ["after=yesterday", "after"],
      ["type=webhook.test", "type"],
      ["watchlist_id=x", "watchlist_id"],
      ["limit=101", "limit"],
    ] as const,
    drawn,
  ) ?? ["limit=0", "limit"];
  const answer = await call(session, { method: "GET", path: `/v1/events?${query}` });
  return expectRefusal("events", answer, refused(param));
}

/** Checks the events of the feed from a time on, inclusive. */
async function feedSince(
  session: Session,
  from: number,
  wanted: readonly EventModel[],
): Promise<string> {
  const at = `/v1/events?after=${iso(from)}&limit=100`;
  const answer = await call(session, { method: "GET", path: at });
  const { data } = answer.body as unknown as { data: readonly Envelope[] };
  compare(
    at,
    data.map(({ type, created_at: created }) => `${type} ${created}`),
    wanted.slice(0, 100).map(({ type, at: happened }) => `${type} ${iso(happened)}`),
  );
  return "200 since";
}
export const webhookCommands: readonly Played<unknown>[] = [
  create,
  badEndpoint,
  read,
  patch,
  rotate,
  test,
  remove,
  log,
  one,
  recovery,
  events,
  event,
  sendOne,
];
