import { describe, expect, it } from "vitest";
import { limits } from "../../shared/base/limits.ts";
import { targetsAtOnceMax } from "../../shared/outbox/lease.ts";
import { aRun, type DeliveryWorld, eachDeliveryWorld } from "../support/delivery-world.ts";
import type { Answer } from "../support/group-api.ts";
import type { Receiver } from "../support/receiver.ts";
import { endpointApi, type EndpointApi } from "./webhook-endpoints/endpoint-api.ts";

const abuser = "acct_1";
const neighbor = "acct_2";
const callsAtOnce = 40;
const { max: probesMax, seconds: probeSeconds } = limits.probes;

let world: DeliveryWorld;
let api: EndpointApi;
let receiver: Receiver;
/**
 * The path of the requests to which the receiver does not respond until a test calls the functions
 * in `held`.
 */
const silent = "/hook/silent";
/** For each pending request to the silent path, a function that responds to the request. */
let held: (() => void)[];

eachDeliveryWorld((opened) => {
  ({ world, receiver } = opened);
  api = endpointApi(world);
  held = [];
  receiver.answer = (response, { path }) => {
    if (path.startsWith(silent)) held.push(() => response.end("ok"));
    else response.end("ok");
  };
});

/** Registers a webhook endpoint. Returns its ID. */
async function register(account: string, path: string): Promise<string> {
  const url = receiver.url.replace("/hook", path);
  const { status, body } = await api.call("POST", "webhook_endpoints", { body: { url }, account });
  expect(status).toBe(201);
  return String(body["id"]);
}

const testOf = (account: string, id: string): Promise<Answer> =>
  api.call("POST", `webhook_endpoints/${id}/test`, { account });

/**
 * Starts `callsAtOnce` calls. The account's limit of probes admits `admitted` of them and refuses
 * the others. Resolves when the refused calls have ended: `ended` contains their responses, and
 * `all` resolves when every call has ended.
 */
async function startProbes(
  call: () => Promise<Answer>,
  admitted: number,
): Promise<{ readonly ended: readonly Answer[]; readonly all: Promise<readonly Answer[]> }> {
  const ended: Answer[] = [];
  const calls: Promise<Answer>[] = [];
  await new Promise<void>((resolve, reject) => {
    for (let n = 0; n < callsAtOnce; n += 1) {
      const one = call().then((answer) => {
        if (ended.push(answer) === callsAtOnce - admitted) resolve();
        return answer;
      });
      one.catch(reject);
      calls.push(one);
    }
  });
  return { ended: [...ended], all: Promise.all(calls) };
}

describe("an account whose webhook receivers never respond", () => {
  it("gets 429 for test deliveries above its limit of probes, while another account can still test its endpoint", async () => {
    const id = await register(abuser, silent);
    const other = await register(neighbor, "/hook/fast");
    const admitted = probesMax - 1;
    const { ended, all } = await startProbes(() => testOf(abuser, id), admitted);

    expect(ended.map(({ status }) => status)).toEqual(
      Array.from({ length: callsAtOnce - admitted }, () => 429),
    );
    expect(await testOf(neighbor, other)).toMatchObject({
      status: 200,
      body: { delivered: true },
    });

    await untilHeld(admitted);
    for (const { text } of ended) {
      expect(text).toContain(`In ${probeSeconds} seconds, an account can make ${probesMax} calls`);
    }
    for (const answer of held.splice(0)) answer();
    await all;
    expect(receiver.requests.filter(({ path }) => path === silent)).toHaveLength(admitted);
  });

  it("occupies workers with at most four of its delivery targets at a time, while another account gets its events", async () => {
    for (let n = 0; n < limits.webhookEndpointsMax; n += 1) {
      await register(abuser, `${silent}/${n}`);
      world.clock.advance((probeSeconds * 1_000) / probesMax);
    }
    await register(neighbor, "/hook/fast");
    await world.publish(aRun(["watchlist.run.completed"], { accountId: abuser }));
    await world.publish(
      aRun(["watchlist.run.completed"], { accountId: neighbor, runId: "wlrun_2" }),
    );
    const wakeUps = (await world.takeWakeUps()) as { readonly account_id: string }[];
    const ofAbuser = wakeUps.filter(({ account_id: account }) => account === abuser);
    expect(ofAbuser).toHaveLength(limits.webhookEndpointsMax);

    const working: Promise<void>[] = [];
    for (const wakeUp of ofAbuser) {
      const heldBefore = held.length;
      const work = world.handleWakeUp(wakeUp);
      working.push(work);
      // The worker either sends its request, which gets no response, or finds the account at its
      // limit.
      await Promise.race([work, untilHeld(heldBefore + 1)]);
    }
    expect(held).toHaveLength(targetsAtOnceMax);

    for (const wakeUp of wakeUps)
      if (wakeUp.account_id === neighbor) await world.handleWakeUp(wakeUp);
    expect(receiver.requests.filter(({ path }) => path === "/hook/fast")).toHaveLength(1);
    expect(held).toHaveLength(targetsAtOnceMax);

    receiver.answer = (response) => response.end("ok");
    for (const answer of held.splice(0)) answer();
    await Promise.all(working);
    await world.deliverDue();
    const silentPaths = receiver.requests.filter(({ path }) => path.startsWith(silent));
    expect(new Set(silentPaths.map(({ path }) => path)).size).toBe(limits.webhookEndpointsMax);
  });
});

describe("an account whose endpoints have host names that resolve slowly", () => {
  it("gets 429 for creations of endpoints above its limit of probes, while another account can still create an endpoint", async () => {
    const waiting: (() => void)[] = [];
    const resolve = (host: string): Promise<readonly string[]> =>
      host === "slow.shop-example.com"
        ? new Promise((found) => waiting.push(() => found([])))
        : Promise.resolve(["127.0.0.1"]);
    api = endpointApi(world, { resolver: { resolve } });
    const slow = { body: { url: "https://slow.shop-example.com/" }, account: abuser };
    const { ended, all } = await startProbes(
      () => api.call("POST", "webhook_endpoints", slow),
      probesMax,
    );

    expect(new Set(ended.map(({ status }) => status))).toEqual(new Set([429]));
    await register(neighbor, "/hook/fast");

    expect(waiting).toHaveLength(probesMax);
    for (const fail of waiting) fail();
    const statuses = (await all).map(({ status }) => status);
    expect(statuses.filter((status) => status === 400)).toHaveLength(probesMax);
  });
});

/** Resolves when the receiver holds at least `count` requests. */
async function untilHeld(count: number): Promise<void> {
  while (held.length < count) await new Promise((resolve) => setTimeout(resolve, 5));
}
