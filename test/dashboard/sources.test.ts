import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import {
  type DashboardWorld,
  expectAccessible,
  expectAccessibleAsOpened,
  lacksChromium,
  startDashboardWorld,
} from "./dashboard-world.ts";

describe.skipIf(lacksChromium)("the sources page of the dashboard", () => {
  let dashboard: DashboardWorld;
  beforeAll(async () => {
    dashboard = await startDashboardWorld();
  });
  afterEach(() => dashboard.closeAll());
  afterAll(() => dashboard.dispose());

  it("shows how often each status occurred for sources with recent reads, and marks other sources as unknown", async () => {
    const { api } = dashboard.world;
    const ids = Array.from({ length: 40 }, (_, n) => String(9_100_000 + n));
    await api.send("POST", "/products", { platform: "retailer_d", ids });

    const { page } = await dashboard.openAt("/sources", "Sources");
    const row = page.getByRole("row", { name: /retailer_d\.standard/ });
    await row
      .getByText(/^\d+(\.\d)?%$/)
      .first()
      .waitFor();
    await row.getByText(/^≤ [\d.]+ s p95 ≤ [\d.]+ s$/).waitFor();
    const other = page.getByRole("row", { name: /retailer_a\.offer_check/ });
    await other.getByText("unknown").waitFor();
    expect(await page.getByRole("row").count()).toBe(9);
    await page.getByText("It is unknown if fewer than 10 items were read.").waitFor();
    const card = page.getByRole("region", { name: "Last hour" });
    const overflow = (one: Element): number => one.scrollWidth - one.clientWidth;
    expect(await card.evaluate(overflow)).toBe(0);
    await expectAccessible(page);

    await page.getByRole("tab", { name: "Last 24 hours" }).click();
    await page.getByRole("region", { name: "Last 24 hours" }).waitFor();
    await row
      .getByText(/^\d+(\.\d)?%$/)
      .first()
      .waitFor();
  });

  it.each(["light", "dark"] as const)(
    "passes the accessibility check on a phone in the %s color scheme",
    async (scheme) => {
      const { page, signIn, goTo } = await dashboard.open({ scheme, size: "phone" });
      await signIn();
      await goTo("/sources", "Sources");
      await page.getByRole("row", { name: /retailer_d\.standard/ }).waitFor();
      await expectAccessibleAsOpened(page);
    },
  );
});
