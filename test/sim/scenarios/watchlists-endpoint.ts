import assert from "node:assert/strict";
import { pathOf } from "./watchlists-change.ts";
import {
  type Acting,
  ask,
  bodyOf,
  expectStatus,
  type KnownWatchlist,
} from "./watchlists-tenant.ts";

interface ShownEndpoint {
  readonly webhook_url: string | null;
  readonly webhook_endpoint_id: string | null;
  readonly webhook_endpoint_status: string | null;
  readonly item_count: number;
}

const minute = 60_000;
const waitsMax = 30;
const endpoints = "/v1/webhook_endpoints";

/**
 * Checks that a watchlist keeps its endpoint (invariant D11). After a change of the endpoint's URL,
 * the new URL receives the events. After a deletion of the endpoint, a new endpoint with the last
 * URL receives the events of the next run. Call it without faults.
 * @throws Error if a check fails
 */
export async function followEndpoint(acting: Acting): Promise<void> {
  const { world, tenant } = acting;
  const { endpoint } = tenant;
  const list = tenant.lists.find(({ goneAt }) => goneAt === undefined);
  if (endpoint === undefined || list === undefined) return;
  const body = { webhook_endpoint_id: endpoint.id };
  const { answer } = await ask(acting, { method: "PATCH", path: pathOf(list), body });
  // A deletion of this watchlist may have had an effect although its outcome is unknown.
  if (answer?.status === 404) return;
  // A watchlist without items does not run.
  if (answer?.status === 200 && (bodyOf(answer) as ShownEndpoint).item_count === 0) return;
  const { id, url } = endpoint;
  // The service may have disabled the endpoint, because its receiver responded with 410.
  const enabled = { path: `${endpoints}/${id}`, body: { enabled: true } };
  await succeed(acting, { method: "PATCH", ...enabled });
  await expectShown(acting, list, [url, id, "ok"]);
  const moved = `${url}/moved`;
  await succeed(acting, { method: "PATCH", path: `${endpoints}/${id}`, body: { url: moved } });
  await expectShown(acting, list, [moved, id, "ok"]);
  await succeed(acting, { method: "DELETE", path: `${endpoints}/${id}` });
  await expectShown(acting, list, [moved, id, "deleted"]);
  await succeed(acting, { method: "PATCH", path: pathOf(list), body: { webhook_url: moved } });
  await expectShown(acting, list, [moved, id, "deleted"]);
  const again = await succeed(acting, { method: "POST", path: endpoints, body: { url: moved } });
  const successor = String(again["id"]);
  await expectShown(acting, list, [moved, successor, "ok"]);
  const next = `${url}/next`;
  await succeed(acting, {
    method: "PATCH",
    path: `${endpoints}/${successor}`,
    body: { url: next },
  });
  await expectShown(acting, list, [next, successor, "ok"]);
  const runId = await runOnce(acting, list);
  const last = `${url}/last`;
  await succeed(acting, {
    method: "PATCH",
    path: `${endpoints}/${successor}`,
    body: { url: last },
  });
  await expectShown(acting, list, [last, successor, "ok"]);
  await waitUntil(
    acting,
    async () =>
      world.receivers.sent.some(
        (one) => [next, last].includes(one.url) && one.body.includes(`"id":"${runId}"`),
      ),
    `${list.id}: the completed event of ${runId} goes to the new endpoint`,
  );
  await succeed(acting, { method: "DELETE", path: `${endpoints}/${successor}` });
  await expectShown(acting, list, [last, successor, "deleted"]);
  const third = await succeed(acting, { method: "POST", path: endpoints, body: { url: last } });
  await expectShown(acting, list, [last, String(third["id"]), "ok"]);
  world.reached("the endpoint of a watchlist was deleted and registered again");
}

async function succeed(
  acting: Acting,
  request: Parameters<typeof ask>[1],
): Promise<Readonly<Record<string, unknown>>> {
  const { method, path } = request;
  const { answer } = await ask(acting, request);
  assert.ok(answer !== undefined, `${method} ${path} without a response`);
  expectStatus(answer, [200, 201, 202], `${method} ${path}`);
  return bodyOf(answer) as Readonly<Record<string, unknown>>;
}

async function expectShown(
  acting: Acting,
  list: KnownWatchlist,
  [url, id, status]: readonly [url: string, id: string, status: string],
): Promise<void> {
  const shown = (await succeed(acting, {
    method: "GET",
    path: pathOf(list),
  })) as unknown as ShownEndpoint;
  assert.deepEqual(
    [shown.webhook_url, shown.webhook_endpoint_id, shown.webhook_endpoint_status],
    [url, id, status],
    `the endpoint of ${list.id}`,
  );
}

interface ShownRun {
  readonly id: string;
  readonly status: string;
}

/** Runs the watchlist once, from start to end. Returns the run's ID. */
async function runOnce(acting: Acting, list: KnownWatchlist): Promise<string> {
  const newest = async (): Promise<ShownRun | undefined> => {
    const page = await succeed(acting, { method: "GET", path: `${pathOf(list)}/runs?limit=1` });
    return (page["data"] as readonly ShownRun[])[0];
  };
  const isIdle = async (): Promise<boolean> => (await newest())?.status !== "running";
  await waitUntil(acting, isIdle, `${list.id}: the run in progress ends`);
  const run = await succeed(acting, { method: "POST", path: `${pathOf(list)}/run` });
  list.runs.add(String(run["id"]));
  await waitUntil(acting, isIdle, `${list.id}: the manual run ends`);
  return String(run["id"]);
}

async function waitUntil(
  { world }: Acting,
  isDone: () => Promise<boolean>,
  what: string,
): Promise<void> {
  for (let waits = 0; waits < waitsMax; waits += 1) {
    if (await isDone()) return;
    await world.pause(minute);
  }
  assert.fail(what);
}
