import assert from "node:assert/strict";
import type { ApiRequest } from "../api.ts";
import { idsOfHand, type Shown } from "./watchlists-bodies.ts";
import { itemOf, pathOf, someWatchlist } from "./watchlists-change.ts";
import {
  type Acting,
  ask,
  bodyOf,
  checkShown,
  expectStatus,
  noteMissing,
  assertMayExist,
  type KnownWatchlist,
  settleSettings,
} from "./watchlists-tenant.ts";

interface Page<Entry> {
  readonly object: string;
  readonly data: readonly Entry[];
  readonly has_more: boolean;
}

/**
 * Reads a watchlist, by default a random one of the tenant, and checks its settings. Does nothing
 * if `list` is undefined.
 * @throws Error if a check fails
 */
export async function readWatchlist(acting: Acting, list = someWatchlist(acting)): Promise<void> {
  if (list === undefined) return;
  const { since, answer } = await ask(acting, { method: "GET", path: pathOf(list) });
  if (answer === undefined) return;
  expectStatus(answer, [200, 404], `GET of ${list.id}`);
  if (answer.status === 404) return noteMissing(acting, list);
  const shown = bodyOf(answer) as Shown;
  checkShown(list, { shown, since });
  settleSettings(acting, list, shown);
}

/**
 * Reads and checks the first page of the tenant's watchlists. If there is no next page, the page
 * must contain all watchlists.
 * @throws Error if a check fails
 */
export async function readWatchlists(
  acting: Acting,
  limit = acting.world.random.pick([1, 2, 100]),
): Promise<void> {
  const { tenant } = acting;
  // A watchlist that was created during the call may be missing in the response.
  const known = [...tenant.lists];
  const path = `/v1/watchlists?limit=${limit}`;
  const { since, answer } = await ask(acting, { method: "GET", path });
  if (answer === undefined) return;
  expectStatus(answer, [200], path);
  const page = bodyOf(answer) as Page<Shown>;
  assert.ok(page.data.length <= limit, `${path} returned ${page.data.length} watchlists`);
  const ids = page.data.map(({ id }) => id);
  assert.deepEqual(ids, ids.toSorted().toReversed(), "watchlists are listed newest first");
  assert.equal(new Set(ids).size, ids.length, "each watchlist is listed once");
  for (const shown of page.data) {
    const list = tenant.lists.find(({ id }) => id === shown.id);
    if (list === undefined) continue;
    checkShown(list, { shown, since });
    settleSettings(acting, list, shown);
  }
  if (page.has_more) return;
  for (const list of known) {
    if (!ids.includes(list.id)) noteMissing(acting, list);
  }
}

interface ShownItem {
  readonly id: string;
  readonly object: string;
  readonly state: string;
  readonly label: string | null;
  readonly metadata: Readonly<Record<string, number>>;
}

/**
 * Reads all items of a random watchlist, page by page. Checks the items that only this hand
 * changes.
 * @throws Error if a check fails
 */
export async function walkItems(acting: Acting): Promise<void> {
  const list = someWatchlist(acting);
  if (list === undefined) return;
  const { world, hand } = acting;
  const seen = await readItems(acting, list, world.random.pick([2, 3, 7, 100]));
  for (const id of idsOfHand(list.platform, hand)) settleItem(list, id, seen);
}

/**
 * Reads and checks all items of a watchlist. Call it only while no user is changing the items.
 * @throws Error if a check fails
 */
export async function readAllItems(acting: Acting, list: KnownWatchlist): Promise<void> {
  const seen = await readItems(acting, list, 100);
  for (const id of list.items.keys()) settleItem(list, id, seen);
}

/** Reads the IDs of all items; undefined if a call failed or a deletion began. */
async function readItems(
  acting: Acting,
  list: KnownWatchlist,
  limit: number,
): Promise<readonly string[] | undefined> {
  const { world } = acting;
  const seen: string[] = [];
  for (let hasMore = true; hasMore;) {
    const after = seen.length === 0 ? "" : `&starting_after=${seen.at(-1)}`;
    const path = `${pathOf(list)}/items?limit=${limit}${after}`;
    const { since, answer } = await ask(acting, { method: "GET", path });
    if (answer === undefined) return undefined;
    expectStatus(answer, [200, 404], path);
    if (answer.status === 404) {
      noteMissing(acting, list);
      return undefined;
    }
    assertMayExist(list, since);
    const page = bodyOf(answer) as Page<ShownItem>;
    assert.ok(page.data.length <= limit, `${path} returned ${page.data.length} items`);
    assert.ok(
      page.data.length === limit || !page.has_more,
      `${path} returned a page that is not full`,
    );
    for (const item of page.data) checkLabels(world, list, item);
    seen.push(...page.data.map(({ id }) => id));
    hasMore = page.has_more;
    if (hasMore) world.reached("the items filled several pages");
  }
  assert.deepEqual(seen, [...new Set(seen)].toSorted(), "items are in ID order, each once");
  // A deletion may have removed pages between the lookup of the watchlist and the read of its
  // items.
  return list.deletes > 0 ? undefined : seen;
}

/**
 * Checks that an item that no call added or removed since the creation has the labels of the
 * creation.
 */
function checkLabels(world: Acting["world"], list: KnownWatchlist, item: ShownItem): void {
  // The purge of a deleted watchlist may have removed the labels before the items.
  if (list.deletes > 0 || list.touched.has(item.id)) return;
  const labels = list.labels.get(item.id) ?? {};
  if (labels.label !== undefined) world.reached("an item had the label of its creation");
  const { label, metadata } = item;
  // The API returns null and an empty object for an item without labels.
  const { label: wanted = null, metadata: wantedMetadata = {} } = labels;
  assert.deepEqual(
    { label, metadata },
    { label: wanted, metadata: wantedMetadata },
    `labels of ${item.id} of ${list.id}`,
  );
}

/**
 * Checks one ID after a read of all items (invariant R12): `in` must be possible in the item's
 * register if `seen` contains the ID, and `out` if not. This value is then the only possible one.
 * Does nothing if `seen` is undefined.
 * @throws AssertionError for an item that is lost or should not exist
 */
function settleItem(list: KnownWatchlist, id: string, seen: readonly string[] | undefined): void {
  if (seen === undefined) return;
  const item = itemOf(list, id);
  const value = seen.includes(id) ? "in" : "out";
  assert.ok(item.values().includes(value), `${id} of ${list.id} is unexpectedly ${value}`);
  item.is(value);
}

/**
 * Reads the items of a random watchlist that are in one state or changed in the last hour, and
 * checks that each of these items matches.
 * @throws Error if a check fails
 */
export async function filterItems(acting: Acting): Promise<void> {
  const list = someWatchlist(acting);
  if (list === undefined) return;
  const { world } = acting;
  const state = world.random.pick(["new", "active", "delisted"]);
  const changed = new Date(world.tasks.now() - 3_600_000).toISOString();
  const isState = world.random.isHit(0.6);
  const query = isState ? `state=${state}` : `changed_since=${changed}`;
  const { since, answer } = await ask(acting, {
    method: "GET",
    path: `${pathOf(list)}/items?${query}`,
  });
  if (answer === undefined) return;
  expectStatus(answer, [200, 404], query);
  if (answer.status === 404) return noteMissing(acting, list);
  assertMayExist(list, since);
  type Changed = ShownItem & {
    readonly last_change: { readonly changed_at: string } | null;
    readonly delisted_at: string | null;
  };
  for (const item of (bodyOf(answer) as Page<Changed>).data) {
    if (isState) assert.equal(item.state, state);
    else {
      const times = [item.last_change?.changed_at, item.delisted_at].filter((at) => at != null);
      assert.ok(
        times.some((at) => at >= changed),
        `${item.id} did not change since ${changed}`,
      );
    }
  }
}

interface ShownRun {
  readonly id: string;
  readonly run_number: number;
  readonly status: string;
}

/**
 * Reads and checks the runs of a watchlist, by default of a random watchlist of the tenant. The
 * runs must be listed newest first and without gaps. At most one run may be in progress, and no
 * known manual run may be missing. Does nothing if `list` is undefined.
 * @throws Error if a check fails
 */
export async function readRuns(acting: Acting, list = someWatchlist(acting)): Promise<void> {
  if (list === undefined) return;
  const begun = [...list.runs];
  const path = `${pathOf(list)}/runs?limit=${acting.world.random.pick([1, 2, 100])}`;
  const { since, answer } = await ask(acting, { method: "GET", path });
  if (answer === undefined) return;
  expectStatus(answer, [200, 404], path);
  if (answer.status === 404) return noteMissing(acting, list);
  assertMayExist(list, since);
  const page = bodyOf(answer) as Page<ShownRun>;
  const newest = page.data[0]?.run_number ?? 0;
  page.data.forEach(({ run_number: number }, n) => assert.equal(number, newest - n));
  const running = page.data.filter(({ status }) => status === "running");
  assert.ok(running.length <= 1, `${list.id} has ${running.length} runs in progress`);
  if (page.has_more) return;
  const ids = new Set(page.data.map(({ id }) => id));
  for (const id of begun) assert.ok(ids.has(id), `${list.id} has lost ${id}`);
}

type Attempt = Omit<ApiRequest, "key" | "path"> & { readonly path: string };

const attempts: readonly Attempt[] = [
  { method: "GET", path: "" },
  { method: "PATCH", path: "", body: { name: "taken" } },
  { method: "PATCH", path: "", body: { status: "paused" } },
  { method: "DELETE", path: "" },
  { method: "POST", path: "/run" },
  { method: "GET", path: "/runs" },
  { method: "GET", path: "/items" },
  { method: "POST", path: "/items", body: { remove: idsOfHand("retailer_a", 0) } },
  { method: "POST", path: "/asins", body: { remove: idsOfHand("retailer_a", 0) } },
];

/**
 * Checks that a call for a watchlist of another tenant gets the same response as for an unknown ID
 * (invariant C7).
 * @throws Error if a check fails
 */
export async function tryForeign(acting: Acting): Promise<void> {
  const { world, tenants, tenant } = acting;
  const lists = tenants.filter((one) => one !== tenant).flatMap((one) => one.lists);
  if (lists.length === 0) return;
  const attempt = world.random.pick(attempts);
  const texts: string[] = [];
  for (const id of [world.random.pick(lists).id, "wl_000000000000000000000000"]) {
    const path = `/v1/watchlists/${id}${attempt.path}`;
    const { answer } = await ask(acting, { ...attempt, path });
    if (answer === undefined) return;
    assert.equal(answer.status, 404, `${attempt.method} ${path} of another: ${answer.text}`);
    // Replaces the ID, because only the ID may differ between the two bodies.
    texts.push(answer.text.replaceAll(id, "{id}"));
  }
  assert.equal(texts[0], texts[1], "the same body as for an unknown id");
  world.reached("a watchlist of another tenant was requested");
}
