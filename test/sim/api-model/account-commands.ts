import fc from "fast-check";
import { creditPacks, type PackId } from "../../../shared/accounts/credit-packs.ts";
import { addCredits, dateOf, type Entry } from "./credit-model.ts";
import { anything, idOf, type Predicted } from "./compare.ts";
import { iso } from "./model.ts";
import {
  call,
  command,
  compare,
  conflict,
  drawnOf,
  expectBody,
  expectRefusal,
  missing,
  notFound,
  notYet,
  type Played,
  readPages,
  refused,
  require,
  type Session,
} from "./session.ts";

/**
 * Minimum lifetime credits and slots of each concurrency tier (specification, section "Limits").
 */
const slots: readonly (readonly [number, number])[] = [
  [0, 5],
  [25_000, 20],
  [500_000, 50],
  [2_000_000, 100],
  [10_000_000, 250],
];

/** Compares `GET /v1/account` with the model. */
export async function expectAccount(session: Session): Promise<void> {
  const { model } = session;
  const [key] = model.keys;
  const { balance, lifetime, spent } = model.ledger;
  const next = slots.find(([at]) => at > lifetime);
  const answer = await call(session, { method: "GET", path: "/v1/account" });
  expectBody("account", answer, {
    status: 200,
    body: {
      object: "account",
      id: model.accountId,
      name: "model",
      email: "model@example.com",
      credit_balance: balance,
      credits_held: 0,
      lifetime_credits: lifetime,
      credits_spent: spent,
      concurrency: {
        limit: slots.findLast(([at]) => at <= lifetime)?.[1],
        in_flight: 0,
        next_tier:
          next === undefined ? null : { concurrency: next[1], at_lifetime_credits: next[0] },
      },
      auto_topup: null,
      webhook_endpoints: model.endpoints.filter(({ deleted }) => !deleted).length,
      s3_external_id: (id: unknown) => /^ext-[0-9a-f]{32}$/.test(String(id)),
      api_key: { id: key?.id, name: key?.name, prefix: key?.key.slice(0, 12) },
      created_at: iso(key?.createdAt ?? 0),
    },
  });
}

/**
 * Compares the usage of the last days with the model's charges (invariant M8).
 * @param days the requested number of days; undefined to omit the parameter
 */
export async function expectUsage(session: Session, days: number | undefined): Promise<void> {
  const { model, service } = session;
  const query = days === undefined ? "" : `?days=${days}`;
  const answer = await call(session, { method: "GET", path: `/v1/usage${query}` });
  const now = service.now();
  const daily = Array.from({ length: days ?? 30 }, (_, n) => {
    const date = dateOf(now - ((days ?? 30) - 1 - n) * 86_400_000);
    const day = model.ledger.days.get(date);
    return { date, ...(day ?? { requests: 0, successful: 0, failed: 0, credits: 0 }) };
  });
  const sum = (of: (day: (typeof daily)[number]) => number): number =>
    daily.reduce((all, day) => all + of(day), 0);
  const requests = sum((day) => day.requests);
  const successful = sum((day) => day.successful);
  expectBody("usage", answer, {
    status: 200,
    body: {
      object: "usage",
      days: days ?? 30,
      totals: {
        requests,
        successful,
        failed: sum((day) => day.failed),
        credits: sum((day) => day.credits),
        success_rate: requests === 0 ? null : successful / requests,
      },
      daily,
    },
  });
}

const usage = command<number>({
  name: "usage",
  weight: 2,
  drawn: fc.constantFrom(-1, 1, 2, 7, 30, 90, 0, 91, 1.5),
  async play(session, days) {
    if (days >= 0 && ![1, 2, 7, 30, 90].includes(days)) {
      const answer = await call(session, { method: "GET", path: `/v1/usage?days=${days}` });
      return expectRefusal("usage", answer, refused("days"));
    }
    await expectUsage(session, days < 0 ? undefined : days);
    return "200";
  },
});

/** Compares all credit transactions with the model, page by page, newest first. */
export async function expectLedger(session: Session, limit: number): Promise<void> {
  const { entries } = session.model.ledger;
  const newestFirst = entries.toReversed();
  const ids: string[] = [];
  for (let from = 0; ; from += limit) {
    const after = from === 0 ? "" : `&starting_after=${ids.at(-1)}`;
    const path = `/v1/credit_transactions?limit=${limit}${after}`;
    const answer = await call(session, { method: "GET", path });
    const wanted = newestFirst.slice(from, from + limit);
    expectBody(path, answer, {
      status: 200,
      body: {
        object: "list",
        data: wanted.map((entry, at) => shownEntry(entry, entries.length - from - at)),
        has_more: from + limit < entries.length,
        next_starting_after: from + limit < entries.length ? idOf("ctx") : null,
      },
    });
    const { data } = answer.body as unknown as { data: readonly { id: string }[] };
    for (const [at, entry] of wanted.entries()) {
      entry.id ??= data[at]?.id ?? "";
      compare("the id of a credit transaction", data[at]?.id, entry.id);
    }
    ids.push(...data.map(({ id }) => id));
    if (from + limit >= entries.length) break;
  }
  require("credit transactions", new Set(ids).size === entries.length, "every entry appears once");
}

function shownEntry(entry: Entry, sequence: number): Predicted {
  const { source, type, credits, before, after, at, itemsCharged } = entry;
  const head = {
    object: "credit_transaction",
    id: idOf("ctx"),
    type,
    credits,
    balance_before: before,
    balance_after: after,
    sequence,
    created_at: iso(at),
  };
  if (source === null) return head;
  const { scraper, items } = source;
  const work = {
    ...head,
    scraper,
    items_requested: items,
    ...(itemsCharged !== undefined && { items_charged: itemsCharged }),
  };
  if ("request_id" in source) {
    return { ...work, request_id: source.request_id, endpoint: source.endpoint };
  }
  const { run, step } = source;
  return {
    ...work,
    watchlist_id: run.list,
    run_id: idOf("wlrun"),
    run_number: run.number,
    step,
  };
}

type Filter = Readonly<Partial<Record<"request_id" | "type" | "watchlist_id", string>>>;

const requestOf = ({ source }: Entry): string | undefined =>
  source !== null && "request_id" in source ? source.request_id : undefined;

const isOf = (entry: Entry, filter: Filter): boolean => {
  const { type, source } = entry;
  const list = source !== null && "run" in source ? source.run.list : undefined;
  return (
    (filter.type ?? type) === type &&
    (filter.request_id === undefined || filter.request_id === requestOf(entry)) &&
    (filter.watchlist_id === undefined || filter.watchlist_id === list)
  );
};

/** Compares the filtered credit transactions with the model. Ignores the limits of the pages. */
async function expectFiltered(session: Session, filter: Filter, limit: number): Promise<void> {
  const { entries } = session.model.ledger;
  const wanted = entries
    .map((entry, at) => [entry, at + 1] as const)
    .filter(([entry]) => isOf(entry, filter))
    .toReversed();
  const query = new URLSearchParams(filter).toString();
  const found = await readPages(session, `/v1/credit_transactions?${query}`, limit);
  compare(
    query,
    found,
    wanted.map(([entry, sequence]) => shownEntry(entry, sequence)),
  );
}

const filtered = command<{ pick: number; how: number; limit: number }>({
  name: "filtered credit transactions",
  weight: 2,
  drawn: fc.record({ pick: fc.nat(), how: fc.nat(7), limit: fc.constantFrom(2, 7, 100) }),
  async play(session, { pick, how, limit }) {
    const { entries } = session.model.ledger;
    if (how === 7) {
      const bad = await call(session, { method: "GET", path: "/v1/credit_transactions?type=gift" });
      return expectRefusal("ledger", bad, refused("type"));
    }
    const filter = drawnFilter(session.model, pick, how);
    await expectFiltered(session, filter, Math.max(limit, Math.ceil(entries.length / 8)));
    return "200";
  },
});

/**
 * Draws one or two filters. Their values are from an existing entry and watchlist, if there are
 * any.
 */
function drawnFilter({ ledger, lists }: Session["model"], pick: number, how: number): Filter {
  const entry = drawnOf(ledger.entries, pick);
  const request = (entry && requestOf(entry)) ?? `req_${"0".repeat(24)}`;
  const list = drawnOf(lists, pick)?.id ?? `wl_${"0".repeat(24)}`;
  return {
    ...(how < 3 && { request_id: request }),
    ...(how % 2 === 0 && { type: entry?.type ?? "grant" }),
    ...([3, 5, 6].includes(how) && { watchlist_id: list }),
  };
}

const transactions = command<number>({
  name: "credit transactions",
  weight: 2,
  drawn: fc.constantFrom(3, 7, 20, 100, 100, 0, 101, -1),
  async play(session, limit) {
    const { entries } = session.model.ledger;
    // A higher page limit bounds the number of requests.
    const few = Math.min(100, Math.max(limit, Math.ceil(entries.length / 8)));
    const list = (query: string) =>
      call(session, { method: "GET", path: `/v1/credit_transactions?${query}` });
    if (limit === -1) {
      const foreign = `starting_after=ctx_${"0".repeat(24)}`;
      return expectRefusal("ledger", await list(foreign), refused("starting_after"));
    }
    if (limit === 0 || limit > 100) {
      return expectRefusal("ledger", await list(`limit=${limit}`), refused("limit"));
    }
    await expectLedger(session, few);
    return "200";
  },
});

const keys = command<{ how: number; pick: number }>({
  name: "api keys",
  weight: 3,
  drawn: fc.record({ how: fc.nat(7), pick: fc.nat(50) }),
  async play(session, { how, pick }) {
    const { model, service } = session;
    const path = "/v1/api_keys";
    const live = model.keys.filter(({ revoked }) => !revoked);
    if (how <= 1) {
      const name = ` key ${pick} `;
      const answer = await call(session, { method: "POST", path, body: { name } });
      if (live.length >= 20) return expectRefusal("new key", answer, conflict);
      const made = answer.body as unknown as { id: string; key: string };
      expectBody("new key", answer, {
        status: 201,
        body: {
          id: idOf("key"),
          object: "api_key",
          name: name.trim(),
          prefix: made.key?.slice(0, 12),
          created_at: iso(service.now()),
          last_used_at: null,
          key: (key: unknown) => /^svc_live_[0-9A-Za-z]{38}$/.test(String(key)),
        },
      });
      const { id, key } = made;
      model.keys.push({ id, key, name: name.trim(), createdAt: service.now(), revoked: false });
      return "201";
    }
    if (how === 2) {
      const [body, refusal] = drawnOf(
        [
          [{}, missing("name")],
          [{ name: "" }, refused("name")],
          [{ name: "x".repeat(101) }, refused("name")],
          [{ name: 7 }, refused("name")],
        ] as const,
        pick,
      ) ?? [{}, missing("name")];
      return expectRefusal("new key", await call(session, { method: "POST", path, body }), refusal);
    }
    if (how === 3) {
      const answer = await call(session, { method: "GET", path });
      expectBody("keys", answer, {
        status: 200,
        body: {
          object: "list",
          data: live.map(({ id, name, key, createdAt }) => ({
            id,
            object: "api_key",
            name,
            prefix: key.slice(0, 12),
            created_at: iso(createdAt),
            last_used_at: anything,
          })),
          has_more: false,
        },
      });
      return "200";
    }
    if (how === 4) {
      const found = drawnOf(live.slice(1), pick);
      if (found === undefined) {
        const answer = await call(session, {
          method: "DELETE",
          path: `${path}/key_${"0".repeat(24)}`,
        });
        return expectRefusal("delete key", answer, notFound);
      }
      const answer = await call(session, { method: "DELETE", path: `${path}/${found.id}` });
      expectBody("delete key", answer, {
        status: 200,
        body: { id: found.id, object: "api_key", deleted: true },
      });
      found.revoked = true;
      return "200";
    }
    if (how === 5) {
      const answer = await call(session, { method: "DELETE", path: `${path}/${live[0]?.id}` });
      return expectRefusal("delete the calling key", answer, conflict);
    }
    return useKey(session, how, pick);
  },
});

/** Calls the API with the key in its usual header, also in `Authorization`, or in the query. */
function callWith(session: Session, key: string, how: number) {
  const path = "/v1/api_keys";
  if (how === 8) return call(session, { method: "GET", path: `${path}?api_key=${key}`, key: "" });
  const headers = { Authorization: `Bearer ${key}` };
  return call(session, { method: "GET", path, key, ...(how === 7 && { headers }) });
}

/**
 * Checks that a valid API key works, and that a revoked, unknown or missing key gets status 401.
 */
async function useKey(session: Session, how: number, pick: number): Promise<string> {
  const found = session.model.keys[pick % session.model.keys.length];
  const unknown = pick % 3 === 0;
  const key = (unknown ? ["", "svc_live_x", `${found?.key}x`][pick % 2] : found?.key) ?? "";
  const answer = await callWith(session, key, key === "" ? 0 : how + (pick % 2));
  if (unknown || found?.revoked === true) {
    return expectRefusal("an invalid key", answer, { status: 401, code: "UNAUTHORIZED" });
  }
  compare("use of a key", answer.status, 200);
  return "200";
}

const operator = command<number>({
  name: "credits by an operator",
  drawn: fc.nat(9),
  async play({ service, model }, drawn) {
    const packs = Object.keys(creditPacks) as PackId[];
    const pack = packs[drawn];
    // Small amounts of credits, so that some calls exceed the balance.
    const credits = pack === undefined || drawn > 1 ? 15 * (drawn + 1) : creditPacks[pack];
    const isGrant = pack === undefined || drawn > 1;
    await service.addCredits(isGrant ? { grant: credits } : { pack });
    addCredits(model.ledger, { type: isGrant ? "grant" : "purchase", credits, at: service.now() });
    return isGrant ? "grant" : "purchase";
  },
});

const structured = command<number>({
  name: "structured",
  drawn: fc.nat(4),
  async play(session, how) {
    const path = "/v1/structured";
    if (how === 0) {
      const answer = await call(session, { method: "GET", path });
      compare("structured", answer.status, 200);
      const { data } = answer.body as unknown as { data: readonly { status: string }[] };
      require("structured", data.every(
        ({ status }) => status === "coming_soon",
      ), "no announced endpoint is live");
      return "200";
    }
    if (how === 1) {
      const answer = await call(session, { method: "GET", path: `${path}/retailer_a/nothing` });
      return expectRefusal("structured", answer, notFound);
    }
    const answer =
      how === 2
        ? await call(session, { method: "GET", path: `${path}/retailer_a/search?query=x` })
        : await call(session, {
            method: "POST",
            path: `${path}/retailer_b/product`,
            body: { item_id: "1000001" },
          });
    return expectRefusal("structured", answer, notYet);
  },
});

const burst = command<number>({
  name: "burst",
  drawn: fc.integer({ min: 51, max: 56 }),
  async play({ service, model }, count) {
    const request = {
      method: "GET",
      path: "/v1/structured",
      key: model.keys[0]?.key ?? "",
    } as const;
    const answers = await service.burst(request, count);
    for (const [at, { status, headers, body }] of answers.entries()) {
      compare("X-RateLimit-Limit", headers["x-ratelimit-limit"], "50");
      compare("X-RateLimit-Remaining", headers["x-ratelimit-remaining"], `${Math.max(0, 49 - at)}`);
      compare(`call ${at + 1} of a second`, status, at < 50 ? 200 : 429);
      if (status === 200) continue;
      const { error } = body as unknown as { error: { code: string } };
      compare("call too many", [error.code, headers["retry-after"]], ["RATE_LIMITED", "1"]);
    }
    return "200 and 429";
  },
});

/** Calls the API with the demo key, which may only read its own account. */
const demo = command<number>({
  name: "demo key",
  drawn: fc.nat(),
  async play(session, drawn) {
    const { model, service } = session;
    const list = drawnOf(model.lists, drawn)?.id ?? `wl_${"0".repeat(24)}`;
    const wanted = drawnOf(
      [
        { method: "POST", path: "/v1/products", body: { tier: "pulse", ids: ["B000000001"] } },
        { method: "POST", path: "/v1/offers", body: { ids: ["B000000001"] } },
        { method: "POST", path: "/v1/api_keys", body: { name: "x" } },
        { method: "PATCH", path: `/v1/watchlists/${list}`, body: { name: "x" } },
        { method: "DELETE", path: `/v1/watchlists/${list}` },
        { method: "POST", path: `/v1/watchlists/${list}/run` },
        { method: "DELETE", path: "/v1/s3_destination" },
        { method: "GET", path: "/v1/watchlists" },
        { method: "GET", path: "/v1/events" },
        { method: "GET", path: `/v1/watchlists/${list}` },
        { method: "GET", path: `/v1/watchlists/${list}/items` },
      ] as const,
      drawn,
    );
    if (wanted === undefined) return "not played";
    const answer = await service.call({ ...wanted, key: service.demoKey });
    if (wanted.method !== "GET") {
      return expectRefusal("demo", answer, { status: 403, code: "DEMO_READ_ONLY" });
    }
    // For the demo key, a resource of another account is like a missing one.
    if (wanted.path.includes(list)) return expectRefusal("demo", answer, notFound);
    compare(
      "demo",
      [answer.status, (answer.body as unknown as { data: unknown[] }).data],
      [200, []],
    );
    return "200";
  },
});

const platformFacts: readonly (readonly [string, string, readonly string[]])[] = [
  ["retailer_a", "live", ["us"]],
  ["retailer_b", "live", ["us"]],
  ["retailer_c", "live", ["us"]],
  ["retailer_d", "live", ["us"]],
];

const platforms = command<null>({
  name: "platforms",
  drawn: fc.constant(null),
  async play(session) {
    const answer = await call(session, { method: "GET", path: "/v1/platforms", key: "" });
    compare("platforms", answer.status, 200);
    const { data } = answer.body as unknown as {
      data: readonly {
        id: string;
        status: string;
        marketplaces: { code: string; status: string }[];
      }[];
    };
    const live = data.filter(({ status }) => status === "live");
    compare(
      "platforms",
      live.map(({ id, status, marketplaces }) => [
        id,
        status,
        marketplaces.filter((one) => one.status === "live").map(({ code }) => code),
      ]),
      platformFacts,
    );
    compare("announced platforms", data.length - live.length, 3);
    compare("platforms", data[0]?.marketplaces.length, 15);
    return "200";
  },
});

export const accountCommands: readonly Played<unknown>[] = [
  usage,
  transactions,
  filtered,
  keys,
  operator,
  structured,
  burst,
  demo,
  platforms,
];
