import assert from "node:assert/strict";
import { watchLedgers } from "../checks/ledger-watch.ts";
import { checkCalls, type RecordedCall } from "../checks/calls.ts";
import type { ApiAnswer, ApiRequest } from "../api.ts";
import type { Random } from "../random.ts";
import type { Scenario } from "../scenario.ts";
import type { User, World } from "../world.ts";
import { accountPlan, beginOperators, openPlanned } from "./calls-accounts.ts";
import { contendedCrowd, type Crowd, crowd } from "./calls-crowds.ts";
import { openPreviews, type Previews } from "./calls-previews.ts";

const second = 1_000;

/**
 * Clients read products and offers, check offers, preview pipelines, and create and revoke API
 * keys, all at the same time.
 */
export const calls: Scenario = {
  name: "calls",
  about: "metered calls, slots, holds and API keys of several tenants",
  async play(world) {
    const { random } = world;
    const recorded: RecordedCall[] = [];
    const crowds = crowdsOf(world);
    const tenants: { readonly user: User; readonly crowd: Crowd }[] = [];
    for (const [n, one] of crowds.entries()) {
      const user = await openPlanned(world, `tenant-${n + 1}`, one.plan);
      tenants.push({ user, crowd: one });
    }
    const users = tenants.map(({ user }) => user);
    const previews: (Previews | undefined)[] = [];
    for (const user of users) previews.push(await openPreviews(world, user));
    const histories = await watchLedgers(world, users);
    for (const [n, { user, crowd: one }] of tenants.entries()) {
      beginOperators(world, user, one.plan);
      const ofUser = previews[n];
      if (ofUser !== undefined) {
        world.begin(`${user.name}.previews`, () => preview(world, user, { ofUser, recorded }));
      }
      const clients = one.clients ?? random.between(1, 4);
      for (let client = clients; client > 0; client -= 1) {
        const use = one.isBrief ? readOnce : useApi;
        world.begin(`${user.name}.${client}`, async () => {
          if (one.withinMs !== undefined) await world.pause(random.between(0, one.withinMs));
          await use(world, user, recorded);
        });
      }
    }
    await world.until(() => world.users() === 0, "all clients have finished");
    world.faults.stop();
    const calmAt = world.tasks.now();
    await world.until(async () => world.isIdle() && (await world.dues()).length === 0, "quiet");
    await checkCalls(world, users, { recorded, histories, calmAt });
    for (const one of previews) await one?.assertUnchanged();
  },
};

/** Draws the accounts of a seed, with their clients. */
function crowdsOf({ random, faults, profile }: World): readonly Crowd[] {
  if (profile === "contention") return [contendedCrowd(random)];
  // The fault rate is higher than usual, because seeds of this scenario send few requests.
  const isCrowded = random.isHit(0.1);
  if (!isCrowded) {
    faults.raiseRates({ times: random.pick([2, 2, 4]), least: random.isHit(0.1) ? 0 : 0.02 });
  }
  const plans = Array.from({ length: random.between(1, 2) }, () => accountPlan(random));
  const few = plans.map((plan): Crowd => ({ plan, clients: undefined, isBrief: false }));
  return isCrowded ? [...few, crowd(random)] : few;
}

async function callOnce(world: World, user: User, request: ApiRequest): Promise<RecordedCall> {
  const calledAt = world.tasks.now();
  const answer = await world.call(request);
  return { user, request, answer, calledAt, answeredAt: world.tasks.now() };
}

async function readOnce(world: World, user: User, recorded: RecordedCall[]): Promise<void> {
  const body = { platform: "retailer_a", ids: [asin(1)], tier: "lite" };
  const request = { method: "POST", path: "/v1/products", body, key: user.key } as const;
  recorded.push(await callOnce(world, user, request));
}

async function preview(
  world: World,
  user: User,
  { ofUser, recorded }: { readonly ofUser: Previews; readonly recorded: RecordedCall[] },
): Promise<void> {
  for (let left = ofUser.count; left > 0; left -= 1) {
    recorded.push(await callOnce(world, user, { ...ofUser.next(), key: user.key }));
  }
}

async function useApi(world: World, user: User, recorded: RecordedCall[]): Promise<void> {
  const { random } = world;
  for (let left = random.between(1, 3); left > 0; left -= 1) {
    const request = { ...random.pick(requests)(random), key: user.key };
    const call = await callOnce(world, user, request);
    const { answer } = call;
    recorded.push(call);
    if (request.method === "POST" && request.path === newKeyPath && answer?.status === 201) {
      await revoke(world, user, answer.body as unknown as NewKey);
    }
    // After a response with status 500 or above, a worker may still refund the charge.
    const isFinal = answer !== undefined && answer.status < 500;
    if (isFinal && answer.headers["x-service-credits"] !== undefined && random.isHit(0.2)) {
      await findCharge(world, user, answer);
    }
    if (random.isHit(0.3)) await world.pause(random.between(0, 20) * second);
  }
}

/** Checks that the ledger contains the charge of a call under the call's request ID. */
async function findCharge(world: World, user: User, { headers }: ApiAnswer): Promise<void> {
  const path = `/v1/credit_transactions?request_id=${headers["x-request-id"]}`;
  const listed = await world.call({ method: "GET", path, key: user.key });
  if (listed?.status !== 200) return;
  const { data } = listed.body as unknown as { data: readonly Entry[] };
  const charged = data
    .filter(({ type }) => type === "charge")
    .reduce((sum, { credits }) => sum + credits, 0);
  assert.equal(charged, Number(headers["x-service-credits"]), `the charge at ${path}`);
  world.reached("a charge was found by its request ID");
}

interface Entry {
  readonly type: string;
  readonly credits: number;
}

const newKeyPath = "/v1/api_keys";
interface NewKey {
  readonly id: string;
  readonly key: string;
}

/** Revokes a key, and checks that calls with the key then get status 401. */
async function revoke(world: World, user: User, { id, key }: NewKey): Promise<void> {
  const revoked = await world.call({
    method: "DELETE",
    path: `${newKeyPath}/${id}`,
    key: user.key,
  });
  if (revoked?.status !== 200) return;
  const refused = await world.call({ method: "GET", path: "/v1/account", key });
  if (refused === undefined || refused.status >= 500) return;
  world.reached("a revoked key was refused");
  assert.equal(refused.status, 401, "status of a call with a revoked key");
}

type Make = (random: Random) => Omit<RecordedCall["request"], "key">;

const asin = (n: number): string => `B0${String(n).padStart(8, "0")}`;
const someIds = (random: Random): string[] =>
  Array.from({ length: random.between(1, 9) }, () => asin(random.between(1, 12)));

const products: Make = (random) => ({
  method: "POST",
  path: "/v1/products",
  body: {
    platform: "retailer_a",
    ids: someIds(random),
    tier: random.pick(["full", "lite", "pulse"]),
  },
});
const offers: Make = (random) => ({
  method: "POST",
  path: "/v1/offers",
  body: { ids: someIds(random).slice(0, 3), condition: condition(random) },
});
const condition = (random: Random) => random.pick(["all", "new", "used"]);
const oneOffers: Make = (random) => ({
  method: "GET",
  path: `/v1/products/${asin(random.between(1, 12))}/offers?condition=${condition(random)}`,
});
/**
 * Creates a request to check offers. An offer that the request names twice must be checked once.
 */
const offerCheck: Make = (random) => ({
  method: "POST",
  path: "/v1/offers/check",
  body: {
    offers: Array.from({ length: random.between(1, 9) }, () => ({
      asin: asin(random.between(1, 3)),
      offerListingId: `offer-${random.between(1, 3)}`,
    })),
  },
});
const get =
  (path: string): Make =>
  () => ({ method: "GET", path });
const newKey: Make = () => ({ method: "POST", path: newKeyPath, body: { name: "another" } });

const requests: readonly Make[] = [
  products,
  products,
  products,
  products,
  offers,
  offers,
  oneOffers,
  offerCheck,
  offerCheck,
  get("/v1/account"),
  get("/v1/usage?days=7"),
  get("/v1/credit_transactions?limit=5"),
  newKey,
  get(newKeyPath),
];
