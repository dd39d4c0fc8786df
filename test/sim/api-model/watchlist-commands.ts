import fc from "fast-check";
import type { Platform } from "../../../shared/platforms/catalogue.ts";
import { modelWatchlist } from "../../support/run-model.ts";
import type { ModelWatchlist } from "../../support/run-model-watchlist.ts";
import type { ApiAnswer } from "../api.ts";
import { anything, idOf, type Predicted } from "./compare.ts";
import {
  boundEndpoint,
  type EndpointModel,
  iso,
  type WatchlistModel,
  type Model,
  newItem,
  newTimes,
  runNowModel,
  setPipeline,
  shownItem,
  shownWatchlist,
  sortedItems,
  tickModel,
} from "./model.ts";
import { pipelinesOf, refusedPipelines, understood } from "./pipelines.ts";
import {
  cadences,
  crons,
  nextAfter,
  refusedSchedules,
  type Schedule,
  secondsOf,
  zones,
} from "./schedules.ts";
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
  type Refusal,
  refused,
  require,
  type Session,
  settle,
} from "./session.ts";
import { idsOf, looksOf } from "./shows.ts";

const platforms: readonly Platform[] = ["retailer_a", "retailer_b", "retailer_c", "retailer_d"];
const listsMax = 4;

const scheduleOf = (drawn: number): Schedule => {
  if (drawn % 2 === 0) return { every: cadences[drawn % cadences.length] ?? "1h" };
  const timezone = drawn % 3 === 0 ? undefined : zones[drawn % zones.length];
  return { cron: crons[drawn % crons.length] ?? "", ...(timezone !== undefined && { timezone }) };
};

interface Creation {
  readonly platform: number;
  readonly ids: readonly number[];
  readonly schedule: number;
  readonly pipeline: number;
  readonly refresh: number;
  readonly endpoint: number;
  readonly key: number;
  readonly how: number;
  readonly status: "paused" | "active" | undefined;
}

const drawnCreation: fc.Arbitrary<Creation> = fc.record({
  platform: fc.nat(5),
  ids: fc.array(fc.nat(19), { minLength: 1, maxLength: 7 }),
  schedule: fc.nat(30),
  pipeline: fc.nat(5),
  refresh: fc.constantFrom(-1, -1, 0, 2, 3),
  endpoint: fc.nat(9),
  key: fc.nat(7),
  how: fc.nat(9),
  status: fc.constantFrom(undefined, undefined, undefined, "active", "paused"),
});

interface Wanted {
  readonly body: Readonly<Record<string, unknown>>;
  readonly list: Omit<WatchlistModel, "id" | "createdAt" | "times" | "runs">;
  readonly ids: readonly string[];
}

const liveEndpoints = ({ endpoints }: Model): readonly EndpointModel[] =>
  endpoints.filter(({ deleted }) => !deleted);

/**
 * Returns the request parameter that names an endpoint, by ID or by URL. Without an endpoint, its
 * value is null.
 */
const named = (endpoint: EndpointModel | undefined, how: number): object =>
  how % 2 === 0
    ? { webhook_url: endpoint?.url ?? null }
    : { webhook_endpoint_id: endpoint?.id ?? null };

/**
 * Returns the URL or the ID of an endpoint or both, as the watchlist shows them. The endpoint may
 * be deleted.
 */
const asShown = ({ id, url }: EndpointModel, how: number): object => ({
  ...(how % 3 !== 1 && { webhook_url: url }),
  ...(how % 3 !== 2 && { webhook_endpoint_id: id }),
});

/** Draws the endpoint that a creation names; undefined if it names none. */
const namedIn = (model: Model, { endpoint }: Creation): EndpointModel | undefined =>
  endpoint < 3 ? drawnOf(liveEndpoints(model), endpoint) : undefined;

/** The IDs and the platform in one of the forms that a request may have. */
function idsField(platform: Platform, ids: readonly string[], { how, key }: Creation): object {
  const sent = how === 2 ? ids.join(key % 2 === 0 ? "\n" : ",") : ids;
  if (platform !== "retailer_a") return { platform, ids: sent };
  return { ...(how === 1 ? { asins: sent } : { ids: sent }), ...(how <= 4 && { platform }) };
}

/**
 * Returns true if the watchlist accepts `refresh_every_runs`: only with the default pipeline of
 * retailer_a.
 */
const takesRefresh = (platform: Platform, pipeline: object | null): boolean =>
  platform === "retailer_a" && pipeline === null;

/** Builds a creation request and the watchlist that it must create. */
function wantedList(model: Model, drawn: Creation): Wanted {
  const platform = platforms[drawn.platform] ?? "retailer_a";
  const ids = drawn.ids.map((one) => idsOf(platform)[one] ?? "");
  const schedule = scheduleOf(drawn.schedule);
  const pipeline = pipelinesOf(platform)[drawn.pipeline];
  const endpoint = namedIn(model, drawn);
  const refresh = takesRefresh(platform, pipeline ?? null) ? drawn.refresh : -1;
  const body = {
    name: ` List ${drawn.schedule} `,
    ...idsField(platform, ids, drawn),
    ...schedule,
    ...(pipeline && { pipeline }),
    ...(refresh >= 0 && { refresh_every_runs: refresh }),
    ...(endpoint && named(endpoint, drawn.endpoint)),
    ...(drawn.status && { status: drawn.status }),
  };
  const list = {
    core: newCore(platform, ids, drawn),
    name: body.name.trim(),
    schedule,
    pipeline: pipeline === undefined ? null : understood(pipeline),
    refreshEveryRuns: refresh < 0 ? 8 : refresh,
    endpointId: endpoint?.id ?? null,
    ...neverRun(drawn),
  };
  return { body, list, ids: [...new Set(ids)] };
}

const neverRun = ({ status }: Creation) => ({
  pausedReason: status === "paused" ? ("user" as const) : null,
  lastRunAt: null,
  lastRunStatus: null,
  nextRunAt: null,
});

function newCore(platform: Platform, ids: readonly string[], { status }: Creation): ModelWatchlist {
  const empty = { entry: "", baseline: null, refresh: null, steps: [] };
  const looks = Object.fromEntries(ids.map((id) => [id, looksOf(platform, id)]));
  return { ...modelWatchlist(platform, empty, looks), paused: status === "paused" };
}

const dayMs = 86_400_000;

const create = command<Creation>({
  name: "create watchlist",
  weight: 4,
  drawn: drawnCreation,
  can: (model, { key }) => model.lists.length < listsMax || key < 4,
  async play(session, drawn) {
    const { model, service } = session;
    const { body, list, ids } = wantedList(model, drawn);
    // Half of the requests use one of two idempotency keys. The body may be the same as before or
    // different.
    const key = drawn.key < 4 ? `key ${drawn.key % 2}` : undefined;
    const known = key === undefined ? undefined : model.remembered.get(key);
    const remembered = known && service.now() + 100 < known.at + dayMs ? known : undefined;
    if (remembered === undefined && model.lists.length >= listsMax) return "not played";
    const sent =
      remembered !== undefined && drawn.how >= 3 ? remembered.body : JSON.stringify(body);
    const answer = await createUnder(session, key, { sent, isHeader: drawn.how % 2 === 1 });
    if (remembered === undefined) return created(session, answer, { list, ids, key, body: sent });
    const isSame = withoutDefaults(remembered.body) === withoutDefaults(sent);
    return replayed(answer, isSame ? remembered.text : null);
  },
});

/** Removes `"status":"active"`, which is the default, from a body. */
const withoutDefaults = (body: string): string => body.replace(/,"status":"active"(?=})/, "");

/** Sends a creation. Its idempotency key, if any, is in the header or in the body. */
function createUnder(
  session: Session,
  key: string | undefined,
  { sent, isHeader }: { readonly sent: string; readonly isHeader: boolean },
): Promise<ApiAnswer> {
  const to = { method: "POST", path: "/v1/watchlists" } as const;
  const body = JSON.parse(sent) as object;
  if (key === undefined) return call(session, { ...to, body });
  return isHeader
    ? call(session, { ...to, body, headers: { "Idempotency-Key": key } })
    : call(session, { ...to, body: { ...body, idempotency_key: key } });
}

function replayed(answer: ApiAnswer, text: string | null): string {
  if (text === null) {
    const refusal = { status: 422, code: "INVALID_PARAM", param: "idempotency_key" };
    return expectRefusal("another body under a known key", answer, refusal);
  }
  compare("replay", [answer.status, answer.text], [201, text]);
  compare("replay", answer.headers["idempotent-replayed"], "true");
  return "201 replayed";
}

async function created(
  session: Session,
  answer: ApiAnswer,
  is: Pick<Wanted, "list" | "ids"> & { readonly key: string | undefined; readonly body: string },
): Promise<string> {
  const { model, service } = session;
  const now = service.now();
  compare("create", [answer.status, answer.headers["idempotent-replayed"]], [201, undefined]);
  const { id } = answer.body as unknown as { id: string };
  const list: WatchlistModel = {
    ...is.list,
    id,
    createdAt: now,
    times: new Map(is.ids.map((one) => [one, newTimes(now)])),
    runs: [],
    nextRunAt: is.list.core.paused ? null : now,
  };
  setPipeline(list);
  compare("create", answer.body, { ...shownWatchlist(model, list, now), id: idOf("wl") });
  model.lists.push(list);
  if (is.key !== undefined) {
    model.remembered.set(is.key, { body: is.body, text: answer.text, at: now, listId: id });
  }
  await settle(session);
  return "201";
}

const good = { name: "x", ids: ["1000001"], platform: "retailer_d", every: "1h" };
const without = (...names: readonly string[]): object =>
  Object.fromEntries(Object.entries(good).filter(([name]) => !names.includes(name)));

const creationRefusals: readonly (readonly [object, Refusal])[] = [
  [without("name"), missing("name")],
  [{ ...good, name: "" }, refused("name")],
  [{ ...good, name: "x".repeat(101) }, refused("name")],
  [without("ids"), missing("ids")],
  [{ ...good, ids: [] }, refused("ids")],
  [{ ...good, ids: ["1000001", "12"] }, refused("ids[1]")],
  [{ ...good, asins: ["1000001"] }, refused("asins")],
  [{ ...without("ids"), asins: ["1000001"] }, refused("asins")],
  [{ ...good, platform: "nowhere" }, refused("platform")],
  [{ ...good, platform: "retailer_f" }, notYet],
  [{ ...good, marketplace: "ca" }, notYet],
  [{ ...good, marketplace: "zz" }, refused("marketplace")],
  [without("every"), { status: 400, code: "MISSING_PARAM" }],
  [{ ...good, cron: "@daily" }, refused(undefined)],
  [{ ...good, webhook_url: "https://nobody.hooks.dev/" }, refused("webhook_url")],
  [{ ...good, webhook_endpoint_id: `we_${"0".repeat(24)}` }, refused("webhook_endpoint_id")],
  [
    { ...good, webhook_url: "https://nobody.hooks.dev/", webhook_endpoint_id: "we_1" },
    refused(undefined),
  ],
  [{ ...good, refresh_every_runs: 1_001 }, refused("refresh_every_runs")],
  [{ ...good, refresh_every_runs: -1 }, refused("refresh_every_runs")],
  [{ ...good, refresh_every_runs: 8 }, refused("refresh_every_runs")],
  [{ ...good, status: "stopped" }, refused("status")],
  [{ ...good, idempotency_key: "x".repeat(256) }, refused("idempotency_key")],
  ...refusedSchedules.map(
    ({ param, ...schedule }) => [{ ...without("every"), ...schedule }, refused(param)] as const,
  ),
  ...refusedPipelines.map(
    ([pipeline, code, param]) =>
      [
        { ...good, pipeline },
        { status: 400, code, param },
      ] as const,
  ),
];

const badCreate = command<number>({
  name: "bad create",
  weight: 3,
  drawn: fc.nat(creationRefusals.length - 1),
  async play(session, place) {
    const [body = {}, refusal = notFound] = creationRefusals[place] ?? [];
    const answer = await call(session, { method: "POST", path: "/v1/watchlists", body });
    return expectRefusal(`create ${JSON.stringify(body).slice(0, 250)}`, answer, refusal);
  },
});

/** Draws an ID of a deleted or unknown watchlist. */
const nowhere = ({ gone }: Model, drawn: number): string =>
  drawnOf([...gone, `wl_${"0".repeat(24)}`, "wl_1"], drawn) ?? "";

interface Named {
  readonly list: number;
  readonly how: number;
}
const drawnList = fc.record({ list: fc.nat(), how: fc.nat(19) });

const get = command<Named>({
  name: "get watchlists",
  weight: 3,
  drawn: drawnList,
  async play(session, { list: drawn, how }) {
    const { model, service } = session;
    const read = (path: string) => call(session, { method: "GET", path: `/v1/watchlists${path}` });
    if (how === 0) return expectRefusal("get", await read(`/${nowhere(model, drawn)}`), notFound);
    if (how === 1) return expectRefusal("list", await read("?limit=101"), refused("limit"));
    if (how < 9) {
      const limit = how % 2 === 0 ? 100 : how % 3 === 0 ? 1 : 2;
      const answer = await read(limit === 100 ? "" : `?limit=${limit}`);
      const newest = model.lists.toReversed();
      expectBody("watchlists", answer, {
        status: 200,
        body: {
          object: "list",
          data: newest.slice(0, limit).map((one) => shownWatchlist(model, one, service.now())),
          has_more: newest.length > limit,
        },
      });
      return "200";
    }
    const list = drawnOf(model.lists, drawn);
    if (list === undefined) return "not played";
    const answer = await read(`/${list.id}`);
    const body = shownWatchlist(model, list, service.now());
    expectBody("watchlist", answer, { status: 200, body });
    return "200";
  },
});

/**
 * Sets the next due time of an active watchlist, counted from its last run (specification, section
 * "PATCH").
 */
function reschedule(list: WatchlistModel, now: number): void {
  const { schedule, lastRunAt } = list;
  if (lastRunAt === null) list.nextRunAt ??= now;
  else if (schedule.every === undefined) list.nextRunAt = nextAfter(schedule, now, now);
  else list.nextRunAt = Math.max(lastRunAt + secondsOf(schedule.every) * 1_000, now);
}

const isSame = (a: Schedule, b: Schedule): boolean =>
  a.every === undefined
    ? a.cron === b.cron && (a.timezone ?? "UTC") === (b.timezone ?? "UTC") && b.every === undefined
    : b.every !== undefined && secondsOf(a.every) === secondsOf(b.every);

interface Patch {
  readonly list: number;
  readonly fields: readonly string[];
  readonly value: number;
}

const patch = command<Patch>({
  name: "patch watchlist",
  weight: 4,
  drawn: fc.record({
    list: fc.nat(),
    fields: fc.subarray(["name", "schedule", "endpoint", "pipeline", "refresh", "status"], {
      minLength: 1,
      maxLength: 3,
    }),
    value: fc.nat(59),
  }),
  can: ({ lists }) => lists.length > 0,
  async play(session, { list: drawn, fields, value }) {
    const { model, service } = session;
    const list = drawnOf(model.lists, drawn);
    if (list === undefined) return "not played";
    const changes = changesOf(model, list, value);
    const chosen = changes.filter(({ field }) => fields.includes(field));
    const body = Object.assign({}, ...chosen.map(({ sent }) => sent)) as object;
    const path = `/v1/watchlists/${list.id}`;
    const answer = await call(session, { method: "PATCH", path, body });
    const now = service.now();
    const pipeline = fields.includes("pipeline") ? patchedPipeline(list, value) : list.pipeline;
    if (fields.includes("refresh") && !takesRefresh(list.core.platform, pipeline ?? null)) {
      const what = `patch ${JSON.stringify(body)}`;
      return expectRefusal(what, answer, refused("refresh_every_runs"));
    }
    const before = { schedule: list.schedule, paused: list.core.paused };
    for (const { make } of chosen) make();
    setPipeline(list);
    const isNew = before.paused || !isSame(before.schedule, list.schedule);
    if (list.core.paused) list.nextRunAt = null;
    else if (isNew) reschedule(list, now);
    const predicted = shownWatchlist(model, list, now);
    expectBody(`patch ${JSON.stringify(body)}`, answer, { status: 200, body: predicted });
    await settle(session);
    return "200";
  },
});

interface Change {
  readonly field: string;
  readonly sent: object;
  /** Applies the change to the model. */
  readonly make: () => void;
}

/** Returns the pipeline of a change; undefined to restore the platform's default. */
const patchedPipeline = ({ core }: WatchlistModel, value: number) =>
  pipelinesOf(core.platform)[value % 4];

/** Returns changes of a watchlist, each with its request and its effect on the model. */
function changesOf(model: Model, list: WatchlistModel, value: number): readonly Change[] {
  const endpoint = value % 3 === 0 ? undefined : drawnOf(liveEndpoints(model), value);
  const bound = boundEndpoint(model, list);
  const pipeline = patchedPipeline(list, value);
  const schedule = scheduleOf(value);
  const status = value % 5 < 2 ? "paused" : "active";
  const refresh = value % 4;
  const name = `Name ${value}`;
  const change = (field: string, sent: object, make: () => void): Change => ({ field, sent, make });
  return [
    change("name", { name }, () => (list.name = name)),
    change("schedule", schedule, () => setSchedule(list, schedule)),
    value % 4 === 0 && bound !== undefined
      ? change("endpoint", asShown(bound, value), () => (list.endpointId = bound.id))
      : change("endpoint", named(endpoint, value), () => (list.endpointId = endpoint?.id ?? null)),
    change("pipeline", { pipeline: pipeline ?? null }, () => {
      list.pipeline = pipeline === undefined ? null : understood(pipeline);
    }),
    change("refresh", { refresh_every_runs: refresh }, () => (list.refreshEveryRuns = refresh)),
    change("status", { status }, () => setStatus(list, status)),
  ];
}

/**
 * Sets the schedule. A cron expression without a time zone keeps the time zone of the watchlist.
 */
function setSchedule(list: WatchlistModel, schedule: Schedule): void {
  const { cron, timezone = list.schedule.timezone } = schedule;
  list.schedule =
    cron === undefined ? schedule : { cron, ...(timezone !== undefined && { timezone }) };
}

function setStatus(list: WatchlistModel, status: "active" | "paused"): void {
  if (list.core.paused === (status === "paused")) return;
  list.core.paused = status === "paused";
  list.pausedReason = status === "paused" ? "user" : null;
  if (status === "active") list.core.skips = 0;
}

const patchRefusals: readonly (readonly [object, Refusal])[] = [
  [{ name: "" }, refused("name")],
  [{ status: "running" }, refused("status")],
  [{ every: "1h", cron: "@daily" }, refused(undefined)],
  [{ ids: ["1000001"] }, refused("ids")],
  [{ refresh_every_runs: 1.5 }, refused("refresh_every_runs")],
  [{ pipeline: {} }, missing("pipeline.steps")],
  [{ webhook_url: "https://nobody.hooks.dev/" }, refused("webhook_url")],
  ...refusedSchedules.map(({ param, ...schedule }) => [schedule, refused(param)] as const),
];

const badPatch = command<Named>({
  name: "bad patch",
  weight: 2,
  drawn: drawnList,
  async play(session, { list: drawn, how }) {
    const { model } = session;
    const list = drawnOf(model.lists, drawn);
    const patchTo = (id: string, body: object) =>
      call(session, { method: "PATCH", path: `/v1/watchlists/${id}`, body });
    if (list === undefined || how === 0) {
      const answer = await patchTo(nowhere(model, drawn), { name: "x" });
      return expectRefusal("patch", answer, notFound);
    }
    const [body = {}, refusal = notFound] = patchRefusals[how % patchRefusals.length] ?? [];
    const answer = await patchTo(list.id, body);
    return expectRefusal(`patch ${JSON.stringify(body)}`, answer, refusal);
  },
});

interface ItemsChange {
  readonly list: number;
  readonly add: readonly number[] | null;
  readonly remove: readonly number[] | null;
  readonly how: number;
}

const changeItems = command<ItemsChange>({
  name: "change items",
  weight: 4,
  drawn: fc.record({
    list: fc.nat(),
    add: fc.option(fc.array(fc.nat(19), { minLength: 1, maxLength: 4 })),
    remove: fc.option(fc.array(fc.nat(19), { minLength: 1, maxLength: 4 })),
    how: fc.nat(10),
  }),
  async play(session, { list: drawn, add, remove, how }) {
    const { model, service } = session;
    const list = drawnOf(model.lists, drawn);
    const legacy = how % 3 === 0;
    const post = (id: string, body: object) =>
      call(session, {
        method: "POST",
        path: `/v1/watchlists/${id}/${legacy ? "asins" : "items"}`,
        body,
      });
    if (list === undefined) {
      return expectRefusal("items", await post(nowhere(model, drawn), { add: ["x"] }), notFound);
    }
    const { core } = list;
    const { adding, removing } = itemsNamed(list, how === 10 ? "all" : { add, remove });
    const body = {
      ...(adding && { add: how === 1 ? adding.join(",") : adding }),
      ...(removing && { remove: removing }),
    };
    if (how === 2) return badItem(adding ?? [], (ids) => post(list.id, { ...body, add: ids }));
    const answer = await post(list.id, body);
    if (adding === undefined && removing === undefined) {
      return expectRefusal("items", answer, { status: 400, code: "MISSING_PARAM" });
    }
    const tally = {
      ...removed(list, new Set(removing)),
      ...added(list, new Set(adding), service.now()),
    };
    core.items.splice(0, core.items.length, ...sortedItems(core.items));
    const shown = shownWatchlist(model, list, service.now());
    expectBody("items", answer, {
      status: 200,
      body: {
        object: legacy ? "watchlist_asins" : "watchlist_items",
        watchlist_id: list.id,
        ...tally,
        item_count: shown["item_count"],
        items_by_state: shown["items_by_state"],
        asin_count: shown["item_count"],
        asins_by_state: shown["items_by_state"],
      },
    });
    await settle(session);
    return tally.reactivated > 0 ? "200 reactivated" : "200";
  },
});

/** Checks that one invalid ID causes the refusal of the whole change. */
async function badItem(
  ids: readonly string[],
  post: (ids: readonly string[]) => Promise<ApiAnswer>,
): Promise<string> {
  return expectRefusal("items", await post([...ids, "?"]), refused(`add[${ids.length}]`));
}

interface ItemsNamed {
  readonly adding?: readonly string[] | undefined;
  readonly removing?: readonly string[] | undefined;
}

/**
 * Returns the IDs to add and to remove. The first added ID is a delisted item, and the first
 * removed ID an item of the watchlist, if there are any. "all" removes all items.
 */
function itemsNamed(
  { core }: WatchlistModel,
  change: Pick<ItemsChange, "add" | "remove"> | "all",
): ItemsNamed {
  if (change === "all") {
    return core.items.length === 0 ? {} : { removing: core.items.map(({ id }) => id) };
  }
  const { add, remove } = change;
  const idOfItem = (one: number): string => idsOf(core.platform)[one] ?? "";
  const delisted = core.items.filter(({ state }) => state === "delisted");
  return {
    adding: add?.map((one, at) =>
      at === 0 ? (drawnOf(delisted, one)?.id ?? idOfItem(one)) : idOfItem(one),
    ),
    removing: remove?.map((one, at) =>
      at === 0 ? (drawnOf(core.items, one)?.id ?? idOfItem(one)) : idOfItem(one),
    ),
  };
}

function removed({ core, times }: WatchlistModel, ids: ReadonlySet<string>) {
  const tally = { removed: 0, missing: 0 };
  for (const id of ids) {
    const at = core.items.findIndex((item) => item.id === id);
    tally[at < 0 ? "missing" : "removed"] += 1;
    if (at >= 0) core.items.splice(at, 1);
    times.delete(id);
  }
  return tally;
}

/** Adds items to the model. A delisted item that is added again becomes a new item. */
function added({ core, times }: WatchlistModel, ids: ReadonlySet<string>, now: number) {
  const tally = { added: 0, reactivated: 0, unchanged: 0 };
  for (const id of ids) {
    const at = core.items.findIndex((item) => item.id === id);
    const known = core.items[at];
    if (known !== undefined && known.state !== "delisted") {
      tally.unchanged += 1;
      continue;
    }
    tally[known === undefined ? "added" : "reactivated"] += 1;
    if (at >= 0) core.items.splice(at, 1);
    core.items.push(newItem(core.platform, id));
    times.set(id, newTimes(now));
  }
  return tally;
}

interface ItemsQuery {
  readonly list: number;
  readonly state: number;
  readonly limit: number;
  readonly since: number;
  /** The length of the ID prefix by which the items are filtered; 0 for no filter. */
  readonly begins: number;
}

interface ItemsFilter {
  readonly state: string | undefined;
  readonly from: number | undefined;
  readonly prefix: string;
}

const itemsLike = (list: WatchlistModel, { state, from, prefix }: ItemsFilter) =>
  list.core.items.filter(({ id, state: of }) => {
    const { changedAt, delistedAt } = list.times.get(id) ?? newTimes(0);
    const movedAt = Math.max(changedAt ?? 0, delistedAt ?? 0);
    const isMoved = from === undefined || movedAt >= from;
    return id.startsWith(prefix) && (state === undefined || of === state) && isMoved;
  });

const filterQuery = ({ state, from, prefix }: ItemsFilter): string =>
  [
    state === undefined ? "" : `&state=${state}`,
    from === undefined ? "" : `&changed_since=${iso(from)}`,
    prefix === "" ? "" : `&id_prefix=${prefix}`,
  ].join("");

const items = command<ItemsQuery>({
  name: "items",
  weight: 4,
  drawn: fc.record({
    list: fc.nat(),
    state: fc.nat(5),
    limit: fc.constantFrom(1, 2, 3, 100, 100, 1_000, 1_001, 0),
    since: fc.constantFrom(-1, -1, -1, 0, 1, 2, 3),
    begins: fc.constantFrom(0, 0, 0, 1, 6, 15, 16),
  }),
  async play(session, { list: drawn, state: place, limit, since, begins }) {
    const { model } = session;
    const list = drawnOf(model.lists, drawn);
    const read = (id: string, query: string) =>
      call(session, { method: "GET", path: `/v1/watchlists/${id}/items?${query}` });
    if (list === undefined) {
      return expectRefusal("items", await read(nowhere(model, drawn), ""), notFound);
    }
    if (limit === 0 || limit > 1_000) {
      return expectRefusal("items", await read(list.id, `limit=${limit}`), refused("limit"));
    }
    const state = ["new", "active", "delisted"][place];
    // The `changed_since` filter is the time of a run, which is inclusive, or one millisecond
    // later.
    const run = since < 0 ? undefined : drawnOf(list.runs, since + drawn);
    const from = run === undefined ? undefined : run.at + (since % 2);
    const prefix = drawnOf(list.core.items, drawn)?.id.slice(0, begins) ?? "";
    if (begins > 15) {
      const long = `id_prefix=${"1".repeat(begins)}`;
      return expectRefusal("items", await read(list.id, long), refused("id_prefix"));
    }
    const filter = { state, from, prefix };
    const wanted = itemsLike(list, filter);
    const filters = filterQuery(filter);
    let after = "";
    for (let at = 0; at === 0 || at < wanted.length; at += limit) {
      const page = wanted.slice(at, at + limit);
      const answer = await read(list.id, `limit=${limit}${filters}${after}`);
      expectBody(`items ${limit}${filters}${after}`, answer, {
        status: 200,
        body: {
          object: "list",
          data: page.map((item) => shownItem(list, item)),
          has_more: at + limit < wanted.length,
        },
      });
      after = `&starting_after=${page.at(-1)?.id}`;
    }
    return "200";
  },
});

const item = command<{ list: number; item: number; how: number }>({
  name: "item",
  weight: 2,
  drawn: fc.record({ list: fc.nat(), item: fc.nat(19), how: fc.nat(9) }),
  async play(session, { list: drawn, item: place, how }) {
    const { model } = session;
    const list = drawnOf(model.lists, drawn);
    const read = (id: string, itemId: string) =>
      call(session, { method: "GET", path: `/v1/watchlists/${id}/items/${itemId}` });
    if (list === undefined) {
      return expectRefusal("item", await read(nowhere(model, drawn), "B000000001"), notFound);
    }
    if (how === 0) return expectRefusal("item", await read(list.id, "B0-1"), refused("item_id"));
    const { platform, items: known } = list.core;
    const id = (how < 7 ? drawnOf(known, place)?.id : undefined) ?? idsOf(platform)[place] ?? "";
    const spelled = platform === "retailer_c" && how % 2 === 0 ? `A-${id}` : id.toLowerCase();
    const answer = await read(list.id, spelled);
    const found = known.find((one) => one.id === id);
    if (found === undefined) return expectRefusal("item", answer, notFound);
    expectBody(`item ${spelled}`, answer, { status: 200, body: shownItem(list, found) });
    return "200";
  },
});

const runNow = command<Named>({
  name: "run now",
  weight: 5,
  drawn: drawnList,
  async play(session, { list: drawn, how }) {
    const { model, service } = session;
    const list = drawnOf(model.lists, drawn);
    const run = (id: string) => call(session, { method: "POST", path: `/v1/watchlists/${id}/run` });
    if (list === undefined || how === 0) {
      return expectRefusal("run", await run(nowhere(model, drawn)), notFound);
    }
    const answer = await run(list.id);
    if (list.core.items.length === 0) return expectRefusal("run without items", answer, conflict);
    compare("run now", answer.status, 202);
    const number = list.core.runCount + 1;
    const { id, ...shown } = answer.body as unknown as Record<string, unknown>;
    compare(
      "run now",
      {
        id,
        watchlist_id: shown["watchlist_id"],
        number: shown["run_number"],
        trigger: shown["trigger"],
      },
      { id: idOf("wlrun"), watchlist_id: list.id, number, trigger: "manual" },
    );
    compare(
      "run now",
      [shown["status"], shown["finished_at"], shown["object"]],
      ["running", null, "watchlist_run"],
    );
    runNowModel(model, list, service.now());
    await settle(session);
    const came = `202 ${list.lastRunStatus}`;
    return list.core.paused ? `${came} paused` : came;
  },
});

const runTwice = command<Named>({
  name: "run twice",
  drawn: drawnList,
  can: ({ lists }) => lists.length > 0,
  async play(session, { list: drawn }) {
    const { model, service } = session;
    const list = drawnOf(model.lists, drawn);
    if (list === undefined) return "not played";
    if (list.core.items.length === 0) return "not played";
    const path = `/v1/watchlists/${list.id}/run`;
    compare("run", (await call(session, { method: "POST", path })).status, 202);
    const begunAt = service.now();
    const refusal = expectRefusal(
      "a second run",
      await call(session, { method: "POST", path }),
      conflict,
    );
    // The run is requested at one time, but reads its items later.
    runNowModel(model, list, service.now());
    const run = list.runs.at(-1);
    const next = list.core.paused ? null : nextAfter(list.schedule, begunAt, begunAt);
    list.lastRunAt = begunAt;
    list.nextRunAt = next;
    // The record of the run contains the time of the request.
    Object.assign(run?.record ?? {}, { started_at: iso(begunAt) });
    const shown = run?.events.at(-1)?.data ?? {};
    Object.assign(shown, { started_at: iso(begunAt) });
    for (const record of [run?.record ?? {}, shown] as Record<string, Predicted>[]) {
      record["watchlist"] = { ...(record["watchlist"] as object), next_run_at: iso(next) };
    }
    await settle(session);
    return refusal;
  },
});

const runs = command<Named>({
  name: "runs",
  weight: 3,
  drawn: drawnList,
  async play(session, { list: drawn, how }) {
    const { model } = session;
    const list = drawnOf(model.lists, drawn);
    const read = (id: string, query = "") =>
      call(session, { method: "GET", path: `/v1/watchlists/${id}/runs${query}` });
    if (list === undefined) {
      return expectRefusal("runs", await read(nowhere(model, drawn)), notFound);
    }
    if (how === 0) return expectRefusal("runs", await read(list.id, "?limit=0"), refused("limit"));
    if (how === 1) {
      const refusal = await read(list.id, "?before_run=-1");
      return expectRefusal("runs", refusal, refused("before_run"));
    }
    const limit = [20, 1, 3, 100][how % 4] ?? 20;
    const before = how % 3 === 0 ? undefined : Math.max(1, list.runs.length - (how % 5));
    const query = new URLSearchParams({
      ...(limit !== 20 && { limit: String(limit) }),
      ...(before !== undefined && { before_run: String(before) }),
    });
    const answer = await read(list.id, `?${query.toString()}`);
    const newest = list.runs
      .toReversed()
      .filter(({ number }) => before === undefined || number < before);
    expectBody("runs", answer, {
      status: 200,
      body: {
        object: "list",
        data: newest.slice(0, limit).map(({ record }) => record),
        has_more: newest.length > limit,
      },
    });
    return "200";
  },
});

const remove = command<Named>({
  name: "delete watchlist",
  weight: 1,
  drawn: drawnList,
  async play(session, { list: drawn, how }) {
    const { model, service } = session;
    const list = drawnOf(model.lists, drawn);
    const end = (id: string) => call(session, { method: "DELETE", path: `/v1/watchlists/${id}` });
    if (list === undefined || how < 3) {
      return expectRefusal("delete", await end(nowhere(model, drawn)), notFound);
    }
    expectBody("delete", await end(list.id), {
      status: 200,
      body: { id: list.id, object: "watchlist", deleted: true },
    });
    model.lists.splice(model.lists.indexOf(list), 1);
    model.gone.push(list.id);
    for (const [key, one] of model.remembered) {
      if (one.listId === list.id) model.remembered.delete(key);
    }
    await settle(session);
    require("delete", !service.scheduled().includes(list.id), "no schedule is left");
    return "200";
  },
});

const preview = command<{ schedule: number; count: number }>({
  name: "schedule preview",
  drawn: fc.record({ schedule: fc.nat(30), count: fc.constantFrom(1, 5, 8, 0, 101) }),
  async play(session, { schedule: drawn, count }) {
    const { every, cron, timezone } = scheduleOf(drawn);
    const query = new URLSearchParams({
      ...(every !== undefined && { every }),
      ...(cron !== undefined && { cron }),
      ...(timezone !== undefined && { timezone }),
      count: String(count),
    });
    const path = `/v1/watchlists/schedule?${query.toString()}`;
    const answer = await call(session, { method: "GET", path });
    if (count === 0 || count > 100) return expectRefusal("preview", answer, refused("count"));
    const times: string[] = [];
    const now = session.service.now();
    let inMonth = 0;
    for (let at = now; times.length < count || at <= now + 30 * dayMs;) {
      at = nextAfter(scheduleOf(drawn), at, at);
      if (times.length < count) times.push(new Date(at).toISOString());
      if (at <= now + 30 * dayMs) inMonth += 1;
    }
    expectBody("preview", answer, {
      status: 200,
      body: {
        object: "schedule_preview",
        schedule: anything,
        next_run_times: times,
        runs_in_30_days: inMonth,
      },
    });
    return "200";
  },
});

const minuteMs = 60_000;
/**
 * Minutes by which the clock advances. Long times are rare, because their runs take most of the
 * test's duration.
 */
const passes = [1, 11, 35, 62, 1, 11, 35, 185];
const passedMax = 20 * dayMs;

const pass = command<number>({
  name: "time passes",
  weight: 8,
  drawn: fc.nat(29),
  can: ({ passed }) => passed < passedMax,
  async play(session, drawn) {
    const { model } = session;
    const hours = drawn === 29 ? 26 : 7;
    const minutes = drawn > 27 ? hours * 60 : (passes[drawn % passes.length] ?? 0);
    const ms = minutes * minuteMs;
    model.passed += ms;
    await letPass(session, ms);
    return `${minutes} min`;
  },
});

/** Advances the clock, and checks that no watchlist is overdue then. */
export async function letPass(session: Session, ms: number): Promise<void> {
  const { model, service } = session;
  await service.pass(ms, (tick) => tickModel(model, tick, service.now()));
  for (const { id, nextRunAt } of model.lists) {
    const isLate = nextRunAt !== null && nextRunAt < service.now() - 60_000;
    require(`list ${id}`, !isLate, `due at ${iso(nextRunAt)}, now ${iso(service.now())}`);
  }
}

export const watchlistCommands: readonly Played<unknown>[] = [
  create,
  badCreate,
  get,
  patch,
  badPatch,
  changeItems,
  items,
  item,
  runNow,
  runTwice,
  runs,
  remove,
  preview,
  pass,
];
