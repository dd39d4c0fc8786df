import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../support/running-world.ts";
import {
  type DashboardWorld,
  expectAccessible,
  lacksChromium,
  startDashboardWorld,
} from "./dashboard-world.ts";

describe.skipIf(lacksChromium)("the rules of a watchlist in the dashboard", () => {
  let dashboard: DashboardWorld;
  beforeAll(async () => {
    dashboard = await startDashboardWorld();
  });
  afterEach(() => dashboard.closeAll());
  afterAll(() => dashboard.dispose());

  it("can be built without JSON, are described in plain English, and are saved as the user chose them", async () => {
    const { page } = await dashboard.openAt("/watchlists/new", "New watchlist");
    await page.getByLabel("Name", { exact: true }).fill("Drops");
    await page.getByLabel("Platform").selectOption("retailer_d");
    await page.getByLabel("Item IDs").fill("9000001\n9000003");
    await page.getByRole("button", { name: "Edit the rules" }).click();

    const rule = "Rule 1 of check";
    await page.getByLabel(`${rule}: field`, { exact: true }).selectOption("price");
    await page.getByLabel(`${rule}: test`).selectOption("decreased");
    const percent = page.getByLabel(`${rule}: by at least, in percent`);
    for (const text of ["many", "-5"]) {
      await percent.fill(text);
      await page
        .getByRole("group", { name: /^Rule 1 of check/ })
        .getByText(/^“by at least, in percent” must be a number greater than 0, such as 5 or 2\.5/)
        .waitFor();
      expect(await percent.inputValue()).toBe(text);
    }
    await percent.fill("2,5%");
    expect(await percent.inputValue()).toBe("2,5%");
    await page.getByText("Small changes add up.").waitFor();
    await page.getByLabel(`${rule}: in reads in a row`).fill("2");
    await page.getByLabel(`${rule}: at most once every`).fill("6h");
    await page.getByRole("button", { name: `Add a test to ${rule}` }).click();
    await page.getByLabel(`${rule}, test 1: field`).selectOption("inStock");
    await page.getByLabel(`${rule}, test 1: value`).selectOption("true");

    await page.getByRole("button", { name: "Add a rule to check" }).click();
    const second = "Rule 2 of check";
    await page.getByLabel(`${second}: when`).selectOption("ok");
    await page.getByLabel(`${second}: field`, { exact: true }).selectOption("price");
    await page.getByLabel(`${second}: test`).selectOption("below");
    await page.getByLabel(`${second}: compared with`).selectOption("metadata");
    const problem = page.getByRole("group", { name: /^Rule 2 of check/ }).getByRole("alert");
    await problem.getByText(/must be a metadata key/).waitFor();
    await page.getByLabel(`${second}: metadata key`).fill("target_price");
    await page.getByText("once, until it is false again").click();
    await page
      .getByText(
        "Items with “price decreased, by 2.5% or more from the highest value since the last event, inStock is true, 2 reads in a row, at most every 6h” are reported.",
      )
      .waitFor();
    await page.getByText("Items with “price below its target_price, once” are reported.").waitFor();
    await expectAccessible(page);

    await page.getByRole("button", { name: "Create watchlist" }).click();
    await page.getByRole("heading", { level: 1, name: "Drops" }).waitFor();
    const id = page.url().split("/").at(-1) ?? "";
    const { body } = await dashboard.world.api.get(`/watchlists/${id}`);
    expect(body["pipeline"]).toMatchObject({
      entry: "check",
      steps: [
        {
          id: "check",
          scraper: "retailer_d.standard",
          routes: [
            {
              when: "changed",
              field: "price",
              op: "decreased",
              min_delta_percent: 2.5,
              confirm: 2,
              cooldown: "6h",
              where: [{ field: "inStock", op: "is", value: true }],
              notify: true,
            },
            {
              when: "ok",
              field: "price",
              op: "below",
              value: { metadata: "target_price" },
              once: true,
              notify: true,
            },
          ],
        },
      ],
    });
  });

  it("can lead to further steps, and an API error is shown at the rule that caused it", async () => {
    const { page } = await dashboard.openAt("/watchlists/new", "New watchlist");
    await page.getByLabel("Platform").selectOption("retailer_a");
    await page.getByRole("button", { name: "Edit the rules" }).click();
    await page.getByRole("button", { name: "Add a step" }).click();
    const added = page.getByRole("region", { name: "Step step_1" });
    await added.getByLabel(/reads with/).selectOption("retailer_a.offers");
    await added.getByLabel(/^Offers that step/).selectOption("new");
    const rule = page.getByRole("group", { name: /^Rule 1 of step_1/ });
    await rule.getByLabel("report it in an event").click();
    const problem = rule.getByRole("alert");
    await problem.getByText(/This route does nothing/).waitFor();
    await expectAccessible(page);
    await page.getByLabel("Rule 1 of step_1: at most once every").waitFor({ state: "detached" });
    await rule.getByLabel("report it in an event").click();
    const cooldown = page.getByLabel("Rule 1 of step_1: at most once every");
    await cooldown.fill("now and then");
    await problem.getByText(/^“at most once every” must be a time from 5m to 30d/).waitFor();
    expect(await cooldown.getAttribute("aria-invalid")).toBe("true");
    expect(await cooldown.getAttribute("aria-describedby")).toBe(await problem.getAttribute("id"));
    await cooldown.fill("");
    await rule.getByLabel("report it in an event").click();
    await problem.getByText(/This route does nothing/).waitFor();
    await rule.getByLabel("report it in an event").click();
    await problem.waitFor({ state: "detached" });
    await added.getByRole("textbox", { name: /^Name of step/ }).fill("sellers");
    const first = await page
      .getByRole("region", { name: /^Step / })
      .first()
      .getAttribute("aria-label");
    const about = `Rule 1 of ${first?.replace("Step ", "")}`;
    await page.getByLabel(`${about}: next step`).selectOption("sellers");
    await page.getByRole("img", { name: /go on to sellers/ }).waitFor();
    await page.getByRole("button", { name: "Remove step sellers" }).click();
    await page
      .getByRole("group", { name: new RegExp(`^${about}`) })
      .getByRole("alert")
      .waitFor();
    await page.getByLabel(`${about}: next step`).selectOption({ index: 1 });
    await page.getByRole("img", { name: /go on to sellers/ }).waitFor({ state: "detached" });
  });

  it("can be back-tested on past runs, with the runs that the brake would have held", async () => {
    const { api } = dashboard.world;
    const created = await api.send("POST", "/watchlists", {
      name: "Kettles",
      platform: "retailer_d",
      ids: ["9000001"],
      every: "1d",
    });
    const list = String(created.body["id"]);
    const ended = (run: number) =>
      eventually(`run ${run}`, 60, async () => {
        const { body } = await api.get(`/watchlists/${list}`);
        const isEnded = body["run_count"] === run && body["last_run_status"] === "completed";
        return isEnded ? body : undefined;
      });
    await ended(1);
    await api.send("POST", `/watchlists/${list}/run`, {});
    await ended(2);

    const { page } = await dashboard.openAt(`/watchlists/${list}?tab=settings`, "Kettles");
    const card = page.getByRole("region", { name: "Back-test" });
    const start = card.getByRole("button", { name: "Back-test" });
    await page.getByLabel("Minimum number of items").fill("1");
    await page.getByLabel("Credits per day").fill("1");
    await start.click();
    await card
      .getByText("These 2 runs would have reported 1 item in events and cost 2 credits.")
      .waitFor();
    await card
      .getByText("The past runs charged 2 credits: the pipeline above costs the same.")
      .waitFor();
    await card.getByText("The brake would have held 1 of 2 runs.").waitFor();
    await card
      .getByText(/^The daily budget of 1 credit would have been reached on [12] of/)
      .waitFor();
    await card.getByRole("row", { name: /watchlist\.product\.changed/ }).waitFor();
    await card.getByText("The first 1 of these items").click();
    const sample = card.getByRole("list", { name: "First items in the events of the back-test" });
    await sample
      .getByText(/^\w+: .+ → /)
      .first()
      .waitFor();
    await sample.getByText(/run 2$/).waitFor();
    await sample.getByText(/^Rule \(step check\): “any tracked field changed”\.$/).waitFor();
    await expectAccessible(page);
    await card.getByLabel("Runs to repeat").selectOption("30");
    await card.getByText(/were changed after the last back-test/).waitFor();
    expect(await card.getByText(/would have reported/).count()).toBe(0);

    await page.getByRole("button", { name: "Edit the rules" }).click();
    await page.getByLabel("Rule 1 of check: field", { exact: true }).selectOption("price");
    const least = page.getByLabel("Rule 1 of check: by at least", { exact: true });
    await least.fill("many");
    await page.getByText(/^“by at least” must be a number greater than 0/).waitFor();
    expect(await start.getAttribute("aria-disabled")).toBe("true");
    await least.fill("100000");
    await expect.poll(() => start.getAttribute("aria-disabled")).not.toBe("true");
    await start.click();
    await card
      .getByText("These 2 runs would have reported 0 items in events and cost 2 credits.")
      .waitFor();
    await card.getByText("No event would have reported an item.").waitFor();

    await card.getByText("Other watchlists of retailer_d · us").click();
    await card.getByRole("button", { name: "Choose all" }).click();
    await start.click();
    await card.getByText(/^The runs of \d watchlists would have reported/).waitFor();
    const table = card.getByRole("table", { name: "The back-test by watchlist" });
    expect(await table.getByRole("row").count()).toBeGreaterThan(2);
    expect(await table.getByRole("row", { name: /^Kettles/ }).textContent()).toBe("Kettles2022");
    await expectAccessible(page);
  });
});
