import { setTimeout as delay } from "node:timers/promises";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../support/running-world.ts";
import {
  type DashboardWorld,
  expectAccessible,
  lacksChromium,
  refuseUntilTriedAgain,
  startDashboardWorld,
} from "./dashboard-world.ts";

describe.skipIf(lacksChromium)("the webhook pages of the dashboard", () => {
  let dashboard: DashboardWorld;
  beforeAll(async () => {
    dashboard = await startDashboardWorld();
  });
  afterEach(async () => {
    await receiver("behavior", { status: 200, times: 0 });
    await dashboard.closeAll();
  });
  afterAll(() => dashboard.dispose());

  const receiverUrl = (): string => dashboard.world.ready["webhook_receiver_url"] ?? "";
  const receiver = async (path: string, body: unknown): Promise<void> => {
    await fetch(`${receiverUrl()}/${path}`, { method: "POST", body: JSON.stringify(body) });
  };
  const received = async (): Promise<readonly Received[]> =>
    (await (await fetch(`${receiverUrl()}/deliveries`)).json()) as readonly Received[];
  const register = async (path: string, settings = {}): Promise<string> => {
    const url = `${receiverUrl()}/${path}`;
    const { body } = await dashboard.world.api.send("POST", "/webhook_endpoints", {
      url,
      ...settings,
    });
    return String(body["id"]);
  };
  /** Deletes endpoints, because an account can have only ten. */
  const forget = async (...ids: readonly string[]): Promise<void> => {
    for (const id of ids) await dashboard.world.api.send("DELETE", `/webhook_endpoints/${id}`);
  };
  /**
   * Creates a watchlist whose events go only to the endpoint, and waits until its first run has
   * ended. Returns the ID of the watchlist.
   */
  const runFor = async (endpointId: string, name: string): Promise<string> => {
    const { body } = await dashboard.world.api.send("POST", "/watchlists", {
      name,
      platform: "retailer_d",
      ids: ["9000000"],
      every: "7d",
      webhook_endpoint_id: endpointId,
    });
    const id = String(body["id"]);
    await eventually("the run", 30, async () => {
      const runs = await dashboard.world.api.get(`/watchlists/${id}/runs`);
      const [run] = runs.body["data"] as readonly Record<string, unknown>[];
      return run?.["finished_at"] ?? undefined;
    });
    return id;
  };
  const signInTo = async (path: string, heading: string): Promise<Page> => {
    const { page, signIn, goTo } = await dashboard.open();
    await signIn();
    await goTo(path, heading);
    return page;
  };

  it("register an endpoint, show its secret once, and send a test that the receiver can verify with the secret", async () => {
    const page = await signInTo("/webhooks", "Webhooks");
    await page.getByText("There are no endpoints yet.").waitFor();
    await page.getByText("No deliveries yet.").waitFor();
    await expectAccessible(page);

    await page.getByRole("button", { name: "New endpoint" }).click();
    await page.getByLabel("URL").fill("ftp://elsewhere");
    await page.getByRole("button", { name: "Create endpoint" }).click();
    await page.getByRole("alert").waitFor();
    expect(await page.getByLabel("URL").getAttribute("aria-invalid")).toBe("true");
    await page.getByLabel("URL").fill(`${receiverUrl()}/hooks/new`);
    await page.getByLabel("Description").fill("Price watcher");
    await page.getByLabel("Only these").check();
    await page.getByLabel("watchlist.product.matched").uncheck();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Create endpoint" }).click();

    await page.getByRole("button", { name: "Copy the secret" }).click();
    const secret = await page.evaluate(() => navigator.clipboard.readText());
    expect(secret).toMatch(/^whsec_/);
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "I have copied it" }).click();
    expect(await page.getByText(secret).count()).toBe(0);
    await page.getByText("3 of 4 types").waitFor();

    await receiver("secrets", { secret });
    await page.getByRole("link", { name: "/hooks/new" }).click();
    await page.getByRole("heading", { level: 1, name: "Price watcher" }).waitFor();
    await page.getByRole("button", { name: "Send a test" }).click();
    await page
      .getByText(/^Delivered: the receiver responded with HTTP 200 in [\d.]+ m?s\.$/)
      .waitFor();
    await page.getByRole("row", { name: /webhook\.test delivered HTTP 200 1/ }).waitFor();
    const [delivery] = await received();
    expect(delivery).toMatchObject({ path: "/hooks/new", verified: true });

    await receiver("behavior", { status: 503, times: 1 });
    await page.getByRole("button", { name: "Send a test" }).click();
    await page.getByText(/^Not delivered: the receiver responded with HTTP 503/).waitFor();
    await page.getByRole("row", { name: /webhook\.test failed HTTP 503 1/ }).waitFor();
    await expectAccessible(page);
  });

  it("show a delivery with its attempts, and let the user send it again", async () => {
    const id = await register("hooks/again", { description: "Again" });
    await receiver("behavior", { status: 500, times: 1 });
    await runFor(id, "Kettles");
    const page = await signInTo(`/webhooks/${id}`, "Again");
    const row = page.getByRole("row", { name: /watchlist\.run\.completed Kettles/ });
    await row.getByText("delivered").waitFor();
    await row.getByRole("link", { name: "watchlist.run.completed" }).click();

    const dialog = page.getByRole("dialog", { name: "Delivery" });
    await dialog.getByText("HTTP 500").waitFor();
    await dialog.getByText("Body of the receiver's response").first().waitFor();
    expect(await dialog.getByRole("listitem").count()).toBe(2);
    expect(await dialog.getByRole("region", { name: "Response to attempt 1" }).textContent()).toBe(
      "{}",
    );
    await dialog.getByRole("link", { name: "Kettles" }).waitFor();
    const sent = (await received()).find(({ path }) => path === "/hooks/again");
    await dialog.getByText("Request body").first().click();
    const body = dialog.getByRole("region", { name: "Request body" });
    expect(await body.textContent()).toBe(
      JSON.stringify(JSON.parse(sent?.body ?? ""), undefined, 2),
    );
    await dialog.getByRole("button", { name: "Copy Request body" }).click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(sent?.body);
    await dialog
      .getByText(
        /^Run 1 ended with the status “completed”: .* It cost 1 credit\. Each run sends this event when it ends\./,
      )
      .waitFor();
    await dialog.getByText(/only to this endpoint\.$/).waitFor();
    await dialog.getByText("Request headers").first().click();
    const headers = dialog.getByRole("region", { name: "Request headers of attempt 2" });
    expect(await headers.textContent()).toContain("Service-Attempt: 2");
    await expectAccessible(page);
    await dialog.getByRole("button", { name: /^Redeliver/ }).click();
    await page.getByText("The delivery is being sent again.").waitFor();
    await dialog.getByRole("region", { name: "Response to attempt 3" }).waitFor();

    await page.reload();
    await dialog.getByRole("listitem").nth(2).waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await row.getByRole("button", { name: /^Redeliver watchlist\.run\.completed/ }).click();
    await page.getByRole("row", { name: /Kettles delivered HTTP 200 4/ }).waitFor();
  });

  it("show which item, change and rule caused an event, and lead to the page of the item", async () => {
    const id = await register("hooks/why", { description: "Why" });
    const { api } = dashboard.world;
    const { body } = await api.send("POST", "/watchlists", {
      name: "Espresso",
      platform: "retailer_d",
      ids: [{ id: "9000001", label: "The office machine" }],
      every: "7d",
      webhook_endpoint_id: id,
      pipeline: {
        steps: [
          {
            id: "check",
            scraper: "retailer_d.standard",
            routes: [
              { when: "new", notify: true },
              { when: "changed", field: "price", cooldown: "6h", notify: true },
            ],
          },
        ],
      },
    });
    const list = String(body["id"]);
    const ended = (run: number) =>
      eventually(`run ${run}`, 30, async () => {
        const { body: shown } = await api.get(`/watchlists/${list}`);
        return shown["run_count"] === run && shown["last_run_status"] === "completed"
          ? true
          : undefined;
      });
    await ended(1);
    await api.send("POST", `/watchlists/${list}/run`, {});
    await ended(2);
    const page = await signInTo(`/webhooks/${id}`, "Why");
    const dialog = page.getByRole("dialog", { name: "Delivery" });
    const item = dialog.getByRole("list", { name: "Items of the event" }).getByRole("listitem");
    const rows = page.getByRole("row");
    await rows.getByRole("link", { name: "watchlist.product.matched" }).click();
    await item.getByText("Rule (step check): “the item was read for the first time”.").waitFor();
    await item.getByText(/^Values: price: [\d,.]+ USD/).waitFor();
    await page.keyboard.press("Escape");

    await rows.getByRole("link", { name: "watchlist.product.changed" }).click();
    await item.getByText(/^price: [\d,.]+ USD → [\d,.]+ USD \([+−][\d.]+%\)$/).waitFor();
    await item.getByText("Rule (step check): “price changed, at most every 6h”.").waitFor();
    await dialog.getByText("Run 2 reported 1 item in this event.").waitFor();
    await expectAccessible(page, undefined, "dialog");
    await api.send("PATCH", `/watchlists/${list}`, {
      pipeline: { steps: [{ id: "check", scraper: "retailer_d.standard", routes: [] }] },
    });
    await page.reload();
    await item.getByText(/^A rule that the pipeline no longer has \(step check\)\./).waitFor();
    await dialog.getByText(/^The settings of the watchlist were changed after/).waitFor();
    await item.getByRole("link", { name: "The office machine" }).click();
    await page.getByRole("heading", { level: 1, name: "The office machine" }).waitFor();
    await forget(id);
  });

  it("let the user copy a delivery as curl, and send its event to another endpoint", async () => {
    const id = await register("hooks/first", { description: "First" });
    const other = await register("hooks/other", { description: "Other", events: [] });
    await runFor(id, "Irons");
    const page = await signInTo(`/webhooks/${id}`, "First");
    const row = page.getByRole("row", { name: /watchlist\.run\.completed Irons/ });
    await row.getByText("delivered").waitFor();
    await row.getByRole("link", { name: "watchlist.run.completed" }).click();
    const dialog = page.getByRole("dialog", { name: "Delivery" });
    await dialog.getByRole("button", { name: "Copy as curl, attempt 1" }).click();
    const command = await page.evaluate(() => navigator.clipboard.readText());
    const sent = (await received()).find(({ path }) => path === "/hooks/first");
    expect(command).toContain(`curl -X POST '${receiverUrl()}/hooks/first'`);
    expect(command).toContain(`-H 'Service-Signature: ${sent?.headers["service-signature"]}'`);
    expect(command).toContain(`--data-binary '${sent?.body}'`);

    await dialog.getByLabel("Endpoint that receives the event").selectOption(other);
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Send", exact: true }).click();
    await page.getByText(/^The event is being sent to Other/).waitFor();
    const arrived = await eventually("the event at the other endpoint", 30, async () =>
      (await received()).find(({ path }) => path === "/hooks/other"),
    );
    expect(arrived.body).toBe(sent?.body);
    await forget(id, other);
  });

  it("send a test of every event type, and show the delivery results of each day", async () => {
    const id = await register("hooks/types", { description: "Types", events: [] });
    const page = await signInTo(`/webhooks/${id}`, "Types");
    const history = page.getByRole("region", { name: "Health over time" });
    await history.getByRole("button", { name: "Count the deliveries of each day" }).click();
    await history.getByText("No deliveries yet.").waitFor();
    await page.getByLabel("Type of the test event").selectOption("watchlist.product.delisted");
    await page.getByRole("button", { name: "Send a test" }).click();
    await page.getByText(/^Delivered: the receiver responded with HTTP 200/).waitFor();
    await page.getByRole("row", { name: /watchlist\.product\.delisted delivered/ }).waitFor();
    const test = (await received()).find(({ path }) => path === "/hooks/types");
    expect(JSON.parse(test?.body ?? "{}")).toMatchObject({ data: { watchlist_id: "wl_test" } });

    await page.reload();
    await history.getByRole("button", { name: "Count the deliveries of each day" }).click();
    await history.getByText("1 delivery, 100% delivered").waitFor();
    const day = history.getByRole("table", { name: "Deliveries of each day" }).getByRole("row");
    expect(await day.nth(1).textContent()).toMatch(/1001$/);
    await expectAccessible(page);
    await forget(id);
  });

  it("show a delivery as pending before its first attempt, with the body that will be sent", async () => {
    const id = await register("hooks/waiting", { description: "Waiting" });
    const { page, signIn, goTo } = await dashboard.open();
    const [first] = manyDeliveries(id, null).data;
    const pending = {
      ...first,
      state: "pending",
      attempt_count: 0,
      last_attempt_at: null,
      last_error: null,
      next_attempt_at: "2026-11-19T10:00:00.000Z",
    };
    const list = { object: "list", data: [pending], has_more: false, next_starting_after: null };
    await page.route("**/deliveries?**", (route) => route.fulfill({ json: list }));
    await page.route("**/v1/webhook_deliveries/dlv_0", (route) =>
      route.fulfill({ json: { ...pending, request_body: '{"id":"evt_0"}', attempts: [] } }),
    );
    await signIn();
    await goTo(`/webhooks/${id}`, "Waiting");
    await page.getByRole("row", { name: /pending Not sent yet 0/ }).waitFor();
    await page.getByRole("link", { name: "watchlist.product.changed" }).click();

    const dialog = page.getByRole("dialog", { name: "Delivery" });
    await dialog.getByText("Due since").waitFor();
    await dialog.getByText("No attempts yet.").waitFor();
    await dialog.getByText("Request body").first().click();
    const body = dialog.getByRole("region", { name: "Request body" });
    expect(await body.textContent()).toBe('{\n  "id": "evt_0"\n}');
  });

  it("show why the service disabled an endpoint, and let the user enable it again", async () => {
    const id = await register("hooks/disabled", { description: "Gone" });
    await receiver("behavior", { status: 410, times: 1 });
    await runFor(id, "Lamps");
    await eventually("the endpoint is disabled", 30, async () => {
      const { body } = await dashboard.world.api.get(`/webhook_endpoints/${id}`);
      return body["disabled_reason"] === "gone" ? true : undefined;
    });
    const page = await signInTo(`/webhooks/${id}`, "Gone");
    await page
      .getByText("The service disabled this endpoint because its receiver returned HTTP 410.")
      .waitFor();
    await page.getByText("Last failure").waitFor();
    await expectAccessible(page);

    await page.getByRole("button", { name: "Enable" }).click();
    await page.getByRole("button", { name: "Disable" }).waitFor();
    expect(await page.getByText("The service disabled this endpoint").count()).toBe(0);
  });

  it("let the user disable and enable an endpoint, and then recover the events of the time while it was disabled", async () => {
    const id = await register("hooks/recover", { description: "Recover" });
    const page = await signInTo(`/webhooks/${id}`, "Recover");
    await page.getByRole("button", { name: "Disable" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Disable" }).click();
    await page.getByText("The endpoint is disabled.", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Enable" }).waitFor();
    const blocked = page.getByRole("button", { name: "Recover a time span" });
    expect(await blocked.getAttribute("aria-disabled")).toBe("true");
    await runFor(id, "Toasters");
    expect((await received()).filter(({ path }) => path === "/hooks/recover")).toEqual([]);

    await page.getByRole("button", { name: "Enable" }).click();
    await page.getByRole("button", { name: "Disable" }).waitFor();
    await page.getByRole("button", { name: "Recover a time span" }).click();
    await page.getByLabel("Time span", { exact: true }).selectOption("Custom times");
    await page.getByRole("button", { name: "Recover", exact: true }).click();
    await page.getByText("Enter the start of the time span.").waitFor();
    // Some browsers return this value, because users can type a year of five digits.
    await page.getByLabel("Since").evaluate((field: HTMLInputElement) => {
      Object.defineProperty(field, "value", { value: "12026-01-01T00:00", configurable: true });
      field.dispatchEvent(new Event("input", { bubbles: true }));
      Reflect.deleteProperty(field, "value");
    });
    await page.getByRole("button", { name: "Recover", exact: true }).click();
    await page.getByText("Enter a valid date and time. The year has four digits.").waitFor();
    await page.getByLabel("Since").fill("2020-01-01T00:00");
    await page.getByRole("button", { name: "Recover", exact: true }).click();
    await page.getByText(/Since must be at most 30 days ago/).waitFor();
    await expectAccessible(page);
    for (const span of ["The last hour", "The last 30 days, all that is kept"]) {
      await page.getByLabel("Time span", { exact: true }).selectOption(span);
      await page.getByRole("button", { name: "Recover", exact: true }).click();
      await page.getByRole("dialog").waitFor({ state: "detached" });
      await page.getByRole("row", { name: /Toasters delivered/ }).waitFor();
      await page.getByRole("button", { name: "Recover a time span" }).click();
    }
    const sent = (await received()).filter(({ path }) => path === "/hooks/recover");
    expect(sent.map(({ body }) => (JSON.parse(body) as { type: string }).type)).toEqual([
      "watchlist.run.completed",
    ]);
  });

  it("rotate an endpoint's secret, and keep the old secret valid for a day if the user chooses this", async () => {
    const id = await register("hooks/rotate", { description: "Rotate" });
    const page = await signInTo(`/webhooks/${id}`, "Rotate");
    const rotate = async (): Promise<string> => {
      await page.getByRole("button", { name: "Rotate secret" }).last().click();
      await page.getByRole("button", { name: "Copy the secret" }).click();
      const secret = await page.evaluate(() => navigator.clipboard.readText());
      await page.getByRole("button", { name: "I have copied it" }).click();
      return secret;
    };
    const signatures = async (): Promise<number> => {
      const before = (await received()).length;
      await page.getByRole("button", { name: "Send a test" }).click();
      const delivery = await eventually("the test", 20, async () => (await received())[before]);
      await page.getByText(/^Delivered:/).waitFor();
      return delivery.headers["service-signature"]?.match(/v1=/g)?.length ?? 0;
    };
    await page.getByRole("button", { name: "Rotate secret" }).click();
    await expectAccessible(page);
    const first = await rotate();
    await page.getByText("Previous secret also signs until").waitFor();
    await page.getByText(`ends in ${first.slice(-4)}`).waitFor();
    expect(await signatures()).toBe(2);

    await page.getByRole("button", { name: "Rotate secret" }).click();
    await page.getByLabel("Also sign with the current secret for 24 hours").uncheck();
    const second = await rotate();
    expect(second).not.toBe(first);
    await page.getByText("Previous secret also signs until").waitFor({ state: "detached" });
    expect(await signatures()).toBe(1);
  });

  it("let the user edit and delete an endpoint, and still show its log after the deletion", async () => {
    const id = await register("hooks/gone", { description: "Soon gone" });
    const page = await signInTo(`/webhooks/${id}`, "Soon gone");
    await page.getByRole("button", { name: "Send a test" }).click();
    await page.getByText(/^Delivered:/).waitFor();
    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByLabel("Description").fill("  ");
    await page.getByLabel("Only these").check();
    for (const type of ["changed", "matched", "delisted"]) {
      await page.getByLabel(`watchlist.product.${type}`).uncheck();
    }
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { level: 1, name: new URL(receiverUrl()).host }).waitFor();
    const { body } = await dashboard.world.api.get(`/webhook_endpoints/${id}`);
    expect(body).toMatchObject({ description: null, events: ["watchlist.run.completed"] });

    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("button", { name: "Delete endpoint" }).click();
    await page.getByRole("heading", { level: 1, name: "Webhooks" }).waitFor();
    await page.getByText("The endpoint was deleted.").waitFor();
    await page.getByRole("row", { name: /webhook\.test deleted delivered/ }).waitFor();
    expect(await page.getByRole("link", { name: "/hooks/gone" }).count()).toBe(0);
  });

  it("filter the delivery log by the query in the URL, and load the log page by page", async () => {
    const id = await register("hooks/many", { description: "Many" });
    const { page, signIn, goTo } = await dashboard.open();
    const asked: string[] = [];
    await page.route("**/deliveries?**", (route) => {
      const { searchParams: query } = new URL(route.request().url());
      query.delete("limit");
      asked.push(query.toString());
      return route.fulfill({ json: manyDeliveries(id, query.get("starting_after")) });
    });
    await signIn();
    await goTo(`/webhooks/${id}?state=failed`, "Many");
    const rows = page.getByRole("table", { name: "Deliveries" }).locator("tbody tr");
    await page.getByText("50 shown").waitFor();
    const more = page.getByRole("button", { name: "Load more" });
    await more.click();
    await page.getByText("100 shown").waitFor();
    await more.click();
    await more.waitFor({ state: "detached" });
    expect(await rows.count()).toBe(120);
    await expectAccessible(page);
    await page.getByLabel("Event type").selectOption("watchlist.run.completed");
    await expect.poll(() => asked.at(-1)).toBe("state=failed&event_type=watchlist.run.completed");
    await page.getByRole("button", { name: "All", exact: true }).click();
    await expect.poll(() => asked.at(-1)).toBe("event_type=watchlist.run.completed");
    expect([...new Set(asked)]).toEqual([
      "state=failed",
      "starting_after=dlv_49&state=failed",
      "starting_after=dlv_99&state=failed",
      "state=failed&event_type=watchlist.run.completed",
      "event_type=watchlist.run.completed",
    ]);
    await expect
      .poll(() => page.url())
      .toContain(`#/webhooks/${id}?event_type=watchlist.run.completed`);
  });

  it("show which parts of their URL they ignore, and apply the other parts", async () => {
    const { page, signIn, goTo } = await dashboard.open();
    const asked: string[] = [];
    page.on("request", (request) => {
      const { pathname, search } = new URL(request.url());
      if (pathname.endsWith("/webhook_deliveries")) asked.push(search);
    });
    await signIn();
    await goTo(
      "/webhooks?state=lost&event_type=webhook.test&watchlist_id=Kettles&colour=red",
      "Webhooks",
    );
    const note = page.getByRole("status").filter({ hasText: "ignores a part of its address" });
    await note.getByText("state=lost: the valid values are pending, delivered, failed.").waitFor();
    await note.getByText("watchlist_id=Kettles: the ID of a watchlist begins with wl_.").waitFor();
    await note.getByText("colour=red: this page has only state,").waitFor();
    await expect.poll(() => asked).toEqual(["?limit=50&event_type=webhook.test"]);
    await expectAccessible(page);
    await page.getByRole("button", { name: "Failed", exact: true }).click();
    await note.waitFor({ state: "detached" });
  });

  it("keep the scroll position in the log when a delivery far down is sent again", async () => {
    const id = await register("hooks/far-down", { description: "Far down" });
    const { page, signIn, goTo } = await dashboard.open();
    let isAgain = false;
    await page.route("**/deliveries?**", (route) => {
      const { searchParams: query } = new URL(route.request().url());
      const answer = manyDeliveries(id, query.get("starting_after"));
      const data = answer.data.map((one) =>
        one.id === "dlv_110" && isAgain ? { ...one, state: "delivered" } : one,
      );
      return route.fulfill({ json: { ...answer, data } });
    });
    await page.route("**/redeliver", (route) => {
      isAgain = true;
      return route.fulfill({ status: 202, json: {} });
    });
    await signIn();
    await goTo(`/webhooks/${id}`, "Far down");
    const rows = page.getByRole("table", { name: "Deliveries" }).locator("tbody tr");
    const more = page.getByRole("button", { name: "Load more" });
    for (const shown of [50, 100]) {
      await page.getByText(`${shown} shown`).waitFor();
      await more.click();
    }
    await more.waitFor({ state: "detached" });
    const row = rows.nth(110);
    await row.getByRole("button", { name: /^Redeliver/ }).click();
    await row.getByText("delivered", { exact: true }).waitFor();
    expect(await rows.count()).toBe(120);
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.getAttribute("aria-label")))
      .toBe("Redeliver watchlist.product.changed, dlv_110");
  });

  it("reload pending deliveries with one request at a time, even if a response is slow", async () => {
    const id = await register("hooks/slow", { description: "Slow" });
    const { page, signIn, goTo } = await dashboard.open();
    let asked = 0;
    await page.route("**/deliveries?**", async (route) => {
      asked += 1;
      const state = asked === 1 ? "pending" : "delivered";
      // The response takes longer than the interval between two reads of the log.
      if (asked > 1) await delay(4_000);
      const { data } = manyDeliveries(id, null);
      // The page may have canceled the request, which then cannot be answered.
      await route
        .fulfill({ json: { object: "list", data: [{ ...data[0], state }], has_more: false } })
        .catch(() => {});
    });
    await signIn();
    await goTo(`/webhooks/${id}`, "Slow");
    const row = page.getByRole("table", { name: "Deliveries" }).locator("tbody tr");
    await row.getByText("pending", { exact: true }).waitFor();
    await row.getByText("delivered", { exact: true }).waitFor({ timeout: 40_000 });
    expect(asked).toBe(2);
  });

  it.each([
    ["an endpoint", (list: string) => `/webhooks/..%2Fwatchlists%2F${list}`],
    ["an endpoint, encoded twice", (list: string) => `/webhooks/%252e%252e%2Fwatchlists%2F${list}`],
    ["a delivery", (list: string) => `/webhooks?delivery=..%2Fwatchlists%2F${list}`],
  ])(
    "show an error for a link with the path of a watchlist in place of the ID of %s",
    async (_what, placeOf) => {
      const { body } = await dashboard.world.api.send("POST", "/watchlists", {
        name: "Not an endpoint",
        platform: "retailer_d",
        ids: ["9000000"],
        every: "7d",
      });
      const { page, signIn } = await dashboard.open();
      const asked: string[] = [];
      page.on("request", (request) => asked.push(new URL(request.url()).pathname));
      await signIn();
      const place = placeOf(String(body["id"]));
      await page.evaluate((wanted) => location.assign(`#${wanted}`), place);
      await page.getByText("The link contains an invalid name or ID").first().waitFor();
      expect(asked.filter((path) => path.includes(String(body["id"])))).toEqual([]);
      expect(await page.getByRole("button", { name: "Delete", exact: true }).count()).toBe(0);
    },
  );

  it("show why data could not be loaded, and load it when the user chooses 'Try again'", async () => {
    const { page, signIn, goTo } = await dashboard.open();
    await signIn();
    await goTo("/webhooks/we_unknown", "Webhook endpoint");
    await page.getByRole("alert").first().waitFor();
    expect(await page.getByRole("button", { name: "Send a test" }).count()).toBe(0);
    await expectAccessible(page);

    await refuseUntilTriedAgain(page, "**/v1/webhook_endpoints", "No.");
    await goTo("/webhooks", "Webhooks");
    await page.getByText("No.", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("table", { name: "Webhook endpoints" }).waitFor();

    await goTo("/webhooks?delivery=dlv_unknown", "Webhooks");
    const dialog = page.getByRole("dialog");
    await dialog
      .getByText("There is no delivery dlv_unknown. The service keeps deliveries for 30 days.")
      .waitFor();
  });

  it("let a user of the demo workspace change nothing", async () => {
    const { page, goTo } = await dashboard.open();
    await page.getByRole("button", { name: "Look around the demo workspace" }).click();
    await goTo("/webhooks", "Webhooks");
    const button = page.getByRole("button", { name: "New endpoint" });
    expect(await button.getAttribute("aria-disabled")).toBe("true");
    await expectAccessible(page);
  });
});

interface Received {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly verified: boolean | null;
}

/** 120 failed deliveries in pages of 50. */
function manyDeliveries(endpointId: string, after: string | null) {
  const from = after === null ? 0 : Number(after.slice("dlv_".length)) + 1;
  const size = Math.min(50, 120 - from);
  const data = Array.from({ length: size }, (_, n) => ({
    id: `dlv_${from + n}`,
    object: "webhook_delivery",
    endpoint_id: endpointId,
    event_id: `evt_${from + n}`,
    event_type: "watchlist.product.changed",
    watchlist_id: `wl_${"0123456789abcdef".repeat(4)}`,
    run_id: "run_1",
    state: "failed",
    attempt_count: 12,
    last_attempt_at: "2026-11-20T10:00:00.000Z",
    last_status: null,
    last_error: "name_not_resolved",
    next_attempt_at: null,
    created_at: "2026-11-19T10:00:00.000Z",
  }));
  const more = from + size < 120;
  return {
    object: "list",
    data,
    has_more: more,
    next_starting_after: more ? data.at(-1)?.id : null,
  };
}
