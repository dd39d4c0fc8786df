import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { localCustomer } from "../../tools/customer/bucket.ts";
import {
  type DashboardWorld,
  expectAccessible,
  lacksChromium,
  refuseUntilTriedAgain,
  startDashboardWorld,
} from "./dashboard-world.ts";

describe.skipIf(lacksChromium)("the export page of the dashboard", () => {
  let dashboard: DashboardWorld;
  beforeAll(async () => {
    dashboard = await startDashboardWorld();
  });
  afterEach(() => dashboard.closeAll());
  afterAll(() => dashboard.dispose());

  const signedIn = async (): Promise<Page> => {
    const { page, signIn, goTo } = await dashboard.open();
    await signIn();
    await goTo("/exports", "S3 export");
    return page;
  };
  const setDestination = async (settings = {}): Promise<void> => {
    const { status } = await dashboard.world.api.send("PUT", "/s3_destination", {
      bucket: dashboard.world.ready["export_bucket"],
      endpoint: dashboard.world.ready["s3_endpoint"],
      access_key_id: localCustomer.accessKeyId,
      secret_access_key: localCustomer.secretAccessKey,
      ...settings,
    });
    expect(status).toBeLessThan(300);
  };
  const destination = async () => (await dashboard.world.api.get("/s3_destination")).body;

  it("lets the user set and test an S3 destination, view the export of a run, and write that export again", async () => {
    const { page, signIn, goTo } = await dashboard.open();
    const refused: string[] = [];
    page.on("response", (answer) => {
      if (answer.status() >= 400) refused.push(answer.url());
    });
    await signIn();
    await goTo("/exports", "S3 export");
    await page.getByText("Events are not exported.").waitFor();
    await page.getByText("No exports yet.").waitFor();
    expect(refused).toEqual([]);
    const backfill = page.getByRole("button", { name: "Backfill a time span" });
    expect(await backfill.getAttribute("aria-disabled")).toBe("true");
    await expectAccessible(page);

    await page.getByRole("button", { name: "Set a destination" }).click();
    await page.getByLabel("Another S3-compatible store").check();
    await page.getByLabel("Endpoint").fill(dashboard.world.ready["s3_endpoint"] ?? "");
    await page.getByRole("button", { name: "Set destination" }).click();
    await page.getByRole("alert").waitFor();
    expect(await page.getByLabel("Bucket", { exact: true }).getAttribute("aria-invalid")).toBe(
      "true",
    );
    await page.getByLabel("Bucket", { exact: true }).fill("no-such-bucket");
    await page.getByLabel("Prefix").fill("shop/");
    await page.getByLabel("Access key ID").fill(localCustomer.accessKeyId);
    await page.getByRole("button", { name: "Set destination" }).click();
    await page.getByText("Secret access key is required with").waitFor();
    const secret = page.getByLabel("Secret access key");
    expect(await secret.getAttribute("type")).toBe("password");
    await secret.fill(localCustomer.secretAccessKey);
    await page.getByRole("button", { name: "Set destination" }).click();
    await page.getByText(/failed: NoSuchBucket.*Nothing was saved\./).waitFor();
    await expectAccessible(page);

    await page
      .getByLabel("Bucket", { exact: true })
      .fill(dashboard.world.ready["export_bucket"] ?? "");
    await page.keyboard.press("Enter");
    await page.getByText("The destination was saved.").waitFor();
    await page.getByText("ends in cret").waitFor();
    expect(await page.getByText(localCustomer.secretAccessKey).count()).toBe(0);
    const heading = page.getByRole("heading", { level: 1 });
    await expect
      .poll(() => heading.evaluate((element) => element === document.activeElement))
      .toBe(true);
    await page.getByRole("button", { name: "Test", exact: true }).click();
    await page
      .getByText(/^The test succeeded: a check object was written and deleted in [\d.]+ m?s\.$/)
      .waitFor();

    await dashboard.world.api.send("POST", "/watchlists", {
      name: "Kettles",
      platform: "retailer_d",
      ids: ["9000000"],
      every: "7d",
    });
    await page.getByRole("button", { name: "Done" }).click();
    const row = page.getByRole("row", { name: /run 1 done/ });
    await row.waitFor({ timeout: 45_000 });
    await row.getByRole("button", { name: /^Copy the manifest's key/ }).click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(
      /^shop\/events\/.*_manifest\.json$/,
    );
    await expectAccessible(page);

    await backfill.click();
    await page.getByRole("button", { name: "Backfill", exact: true }).click();
    await page.getByText("The backfill has started.").waitFor();
    await page.getByRole("button", { name: "All", exact: true }).click();
    await page.getByRole("row", { name: /run 1 done 1 .* B 2/ }).waitFor();
  });

  it("asks for the secret of the S3 destination again if the user changes the bucket, but not for other changes", async () => {
    await setDestination();
    const page = await signedIn();
    await page.getByRole("button", { name: "Edit" }).click();
    // The focus must move immediately, so that typed text goes into the form.
    expect(await page.evaluate("document.activeElement.type")).toBe("radio");
    await page.getByLabel("Prefix").fill("other/");
    await page.getByLabel("Compression").selectOption("none");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("The destination was saved.").waitFor();
    expect(await destination()).toMatchObject({ prefix: "other/", compression: "none" });

    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByLabel("Bucket", { exact: true }).fill("elsewhere");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Secret access key is required when").waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Edit" }).waitFor();
  });

  it("shows the external ID for the trust policy before the user has created the role", async () => {
    const page = await signedIn();
    const { body: account } = await dashboard.world.api.get("/account");
    await page.getByRole("button", { name: /Edit|Set a destination/ }).click();
    await page.getByLabel("Amazon S3").check();
    await page.getByLabel("IAM role in your account").check();
    await page.getByText(String(account["s3_external_id"])).waitFor();
    await page.getByLabel("Bucket", { exact: true }).fill("some-bucket");
    await page.getByLabel("Role ARN").fill("events");
    await page.getByRole("button", { name: /^(Save|Set destination)$/ }).click();
    await page.getByText("Role ARN must be the ARN of a role").waitFor();
    expect(await page.getByLabel("Access key ID").count()).toBe(0);
    await expectAccessible(page);
    await page.getByLabel("Another S3-compatible store").check();
    await page.getByLabel("Access key ID").waitFor();
  });

  it("shows what the user can do when a test of the S3 destination fails", async () => {
    await setDestination();
    const page = await signedIn();
    await page.route("**/v1/s3_destination/test", (route) =>
      route.fulfill({
        json: {
          object: "s3_destination_test",
          ok: false,
          error: "KMS.DisabledException",
          param: "bucket",
          message: "The KMS key is disabled. Enable it.",
          duration_ms: 5,
        },
      }),
    );
    await page.getByRole("button", { name: "Test", exact: true }).click();
    await page.getByText("The test failed. The KMS key is disabled. Enable it.").waitFor();
  });

  it("lets the user disable, enable and delete the S3 destination", async () => {
    await setDestination();
    const page = await signedIn();
    await page.getByRole("button", { name: "Disable" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Disable" }).click();
    await page.getByRole("button", { name: "Enable" }).click();
    await page.getByText("The destination is enabled.").waitFor();
    await page.getByRole("button", { name: "Disable" }).waitFor();
    expect(await destination()).toMatchObject({ enabled: true, status: "active" });
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("button", { name: "Delete destination" }).click();
    await page.getByText("Events are not exported.").waitFor();
    const { status } = await dashboard.world.api.get("/s3_destination");
    expect(status).toBe(404);
  });

  it("shows which part of its URL it ignores", async () => {
    const { page, signIn, goTo } = await dashboard.open();
    await signIn();
    await goTo("/exports?state=lost", "S3 export");
    await page.getByText("state=lost: the valid values are pending, done, failed.").waitFor();
    await page.getByText("No exports yet.").or(page.getByRole("table")).waitFor();
    await expectAccessible(page);
  });

  it("loads a long export log page by page, and shows the reason for each failed export", async () => {
    const { page, signIn, goTo } = await dashboard.open();
    await page.route("**/s3_destination/exports?**", (route) => {
      const after = new URL(route.request().url()).searchParams.get("starting_after");
      return route.fulfill({ json: manyExports(after) });
    });
    await signIn();
    await goTo("/exports?state=failed", "S3 export");
    const more = page.getByRole("button", { name: "Load more" });
    await page.getByText("50 shown").waitFor();
    await more.click();
    await page.getByText("100 shown").waitFor();
    await more.click();
    await more.waitFor({ state: "detached" });
    expect(await page.getByText(/^The bucket does not exist \(NoSuchBucket\)$/).count()).toBe(120);
    await expectAccessible(page);
  });

  it("shows why exports could not be loaded, and allows no change in the demo workspace", async () => {
    const { page, goTo } = await dashboard.open();
    await refuseUntilTriedAgain(page, "**/v1/s3_destination/exports?limit=1", "No.");
    await page.getByRole("button", { name: "Look around the demo workspace" }).click();
    await goTo("/exports", "S3 export");
    await page.getByText("No.", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Try again" }).click();
    const button = page.getByRole("button", { name: /Edit|Set a destination/ });
    expect(await button.getAttribute("aria-disabled")).toBe("true");
    await expectAccessible(page);
  });
});

/** 120 failed exports in pages of 50. */
function manyExports(after: string | null) {
  const from = after === null ? 0 : Number(after.slice("exp_".length)) + 1;
  const size = Math.min(50, 120 - from);
  const data = Array.from({ length: size }, (_, n) => ({
    id: `exp_${from + n}`,
    object: "s3_export",
    watchlist_id: `wl_${"0123456789abcdef".repeat(4)}`,
    run_id: `run_${from + n}`,
    run_number: 100_000 - from - n,
    state: "failed",
    objects: 12_345,
    bytes: 123_456_789,
    attempt_count: 12,
    last_error: "NoSuchBucket",
    next_attempt_at: null,
    manifest_key: null,
    created_at: "2026-11-19T10:00:00.000Z",
    finished_at: "2026-11-20T10:00:00.000Z",
  }));
  const more = from + size < 120;
  return {
    object: "list",
    data,
    destination_status: null,
    has_more: more,
    next_starting_after: more ? data.at(-1)?.id : null,
  };
}
