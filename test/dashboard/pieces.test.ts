import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { securityHeaders } from "../../functions/dashboard/security-headers.ts";
import { bundle } from "../../tools/dashboard/assets.ts";
import { connectBrowser, expectAccessible, lacksChromium } from "./dashboard-world.ts";

const index = `<!doctype html><html lang="en"><head><title>Pieces</title>
<link rel="icon" href="/icon.svg"><link rel="stylesheet" href="/page.css">
<script type="module" src="/page.js"></script></head><body><div id="app"></div></body></html>`;

/** Serves the page that shows the components, with the dashboard's response headers. */
function servePieces(): Server {
  const { js, css } = bundle(new URL("pieces/page.tsx", import.meta.url).pathname);
  const files: Readonly<Record<string, readonly [type: string, text: string]>> = {
    "/": ["text/html", index],
    "/page.js": ["text/javascript", js],
    "/page.css": ["text/css", css],
  };
  return createServer((request, response) => {
    const [type, text] = files[request.url ?? ""] ?? ["text/plain", ""];
    response.writeHead(200, { ...securityHeaders, "Content-Type": type }).end(text);
  }).listen(0);
}

describe.skipIf(lacksChromium)("in the dashboard's component library,", () => {
  let server: Server;
  let browser: Browser;
  let page: Page;
  const errors: string[] = [];
  beforeAll(async () => {
    server = servePieces();
    browser = await connectBrowser();
  });
  beforeEach(async () => {
    const context = await browser.newContext({
      reducedMotion: "reduce",
      permissions: ["clipboard-read", "clipboard-write"],
    });
    page = await context.newPage();
    page.on("console", (message) => {
      if (message.type() === "error") errors.push(message.text());
    });
    page.on("pageerror", (error) => errors.push(String(error)));
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    await page.getByRole("heading", { name: "Pieces" }).waitFor();
  });
  afterEach(async () => {
    await page.context().close();
    const messages = errors.splice(0);
    if (messages.length > 0) throw new Error(`In the console: ${messages.join("; ")}`);
  });
  afterAll(async () => {
    await browser.close();
    server.close();
  });

  const focused = (): Promise<string> =>
    page.evaluate(() => {
      const element = document.activeElement;
      return element?.getAttribute("aria-label") ?? element?.textContent ?? "";
    });

  it("all components pass the accessibility check, in both color schemes and at desktop and phone width", async () => {
    await expectAccessible(page);
  });

  it("the Tab key stops exactly once at a row of tabs, and the arrow keys, Home and End select a tab", async () => {
    const tab = (name: string) => page.getByRole("tab", { name });
    await tab("apple").focus();
    for (const [key, name] of [
      ["ArrowRight", "pear"],
      ["End", "plum"],
      ["ArrowRight", "apple"],
      ["ArrowLeft", "plum"],
      ["Home", "apple"],
    ] as const) {
      await page.keyboard.press(key);
      expect(await focused(), key).toBe(name);
      expect(await tab(name).getAttribute("aria-selected")).toBe("true");
      await page.getByRole("tabpanel", { name }).getByText(`All about the ${name}`).waitFor();
    }
    expect(await page.locator('[role=tab][tabindex="0"]').count()).toBe(1);
    await page.keyboard.press("Tab");
    expect(await focused()).toBe("All about the apple");
    await tab("pear").click();
    await page.getByText("All about the pear").waitFor();
  });

  it("a table of thousands of rows renders fewer than 40 rows, and loads more rows when the user reaches the end of the table", async () => {
    const table = page.getByRole("table", { name: "Rows" });
    const body = table.locator(".virtual-body");
    const rows = body.getByRole("row");
    expect(await rows.count()).toBeLessThan(40);
    expect(await rows.first().getByRole("rowheader").textContent()).toBe("row 0");
    expect(await table.getAttribute("aria-rowcount")).toBe("15001");
    expect(await table.getByRole("columnheader").allTextContents()).toEqual(["Name", "Link"]);

    const head = (n: number) => table.getByRole("rowheader", { name: `row ${n}`, exact: true });
    const scrollTo = (top: number) => body.evaluate((box, y) => box.scrollTo(0, y), top);
    await scrollTo(2_500 * 32);
    await head(2_500).waitFor();
    expect(await head(0).count()).toBe(0);
    expect(await rows.count()).toBeLessThan(40);
    const row = page.getByRole("row", { name: "row 2500 Open row 2500", exact: true });
    expect(await row.getAttribute("aria-rowindex")).toBe("2502");

    for (const end of [4_999, 9_999, 14_999]) {
      // Scrolls again while more rows are being loaded.
      await expect
        .poll(async () => {
          await scrollTo(end * 32);
          return head(end).count();
        })
        .toBe(1);
    }
    await body.focus();
    await page.keyboard.press("Home");
    await head(0).waitFor();
  });

  it("the arrow keys move the focus to the same control in the next row of a long table, and the table scrolls", async () => {
    const table = page.getByRole("table", { name: "Rows" });
    await table.getByRole("link", { name: "Open row 0", exact: true }).focus();
    for (let n = 0; n < 30; n += 1) await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowUp");
    await expect.poll(focused).toBe("Open row 29");
    expect(await table.getByRole("link", { name: "Open row 29", exact: true }).isVisible()).toBe(
      true,
    );
  });

  it("a JSON view opens level by level, escapes text, and shows how many values it omits", async () => {
    const view = page.locator(".json");
    await view.getByText(String.raw`"with \"quotes\" and <b>"`).waitFor();
    for (const text of ["1.5", "true", "null", "[ 0 ]", "[ 250 ]"]) {
      await view.getByText(text, { exact: true }).waitFor();
    }
    expect(await view.getByText('"found"').isVisible()).toBe(false);
    await view.getByText("deeper").click();
    await view.getByText('"found"').waitFor();
    await view.getByText("and 50 more").waitFor();
    expect(await view.getByText("199", { exact: true }).count()).toBe(1);
    expect(await view.getByText("200", { exact: true }).count()).toBe(0);
  });

  it("a code block can be focused with the keyboard, and its copy button copies the complete text", async () => {
    await page.getByRole("region", { name: "Call" }).focus();
    expect(await focused()).toBe("Call");
    await page.getByRole("button", { name: "Copy Call" }).click();
    await page.getByRole("status").getByText("Copied").waitFor({ state: "attached" });
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe("the whole");
  });

  it("a copy button reports that the browser refused the clipboard", async () => {
    await page.evaluate(() => {
      navigator.clipboard.writeText = async () => {
        throw new Error("not allowed");
      };
    });
    await page.getByRole("button", { name: "Copy Call" }).click();
    await page.getByRole("button", { name: "Copy failed" }).waitFor();
  });

  it("a pager loads one page at a time, shows the number of loaded entries, and disappears after the last page", async () => {
    const more = page.getByRole("button", { name: "Load more" });
    await page.getByText("2 shown").waitFor();
    await more.dblclick();
    expect(await more.getAttribute("aria-busy")).toBe("true");
    await page.evaluate(() => dispatchEvent(new Event("page")));
    await more.waitFor({ state: "detached" });
    expect(await page.getByText(/\d shown/).count()).toBe(0);
  });

  it("a dialog keeps the focus inside, closes on Esc, the cross and a click beside it, and restores the focus", async () => {
    const opener = page.getByRole("button", { name: "Open dialog" });
    const dialog = page.getByRole("dialog", { name: "A dialog" });
    for (const leave of [
      () => page.keyboard.press("Escape"),
      () => page.getByRole("button", { name: "Close" }).click(),
      () => page.mouse.click(5, 5),
    ]) {
      await opener.click();
      await dialog.waitFor();
      for (let n = 0; n < 8; n += 1) {
        await page.keyboard.press("Tab");
        // Between the last and the first element of the page, the focus is on a control of the
        // browser. The active element is then the body of the page.
        const outside = await page.evaluate(
          () =>
            document.activeElement !== document.body &&
            document.activeElement?.closest("dialog") === null,
        );
        expect(outside).toBe(false);
      }
      await leave();
      await dialog.waitFor({ state: "detached" });
      expect(await focused()).toBe("Open dialog");
    }
  });

  it("a dialog with a secret ignores Esc, and closes only with its button", async () => {
    await page.getByRole("button", { name: "Open kept dialog" }).click();
    const dialog = page.getByRole("dialog", { name: "A secret" });
    const isModal = () => dialog.evaluate((element) => element.matches(":modal"));
    await page.evaluate(() => {
      const note = (): boolean => Reflect.set(window, "isClosed", true);
      addEventListener("close", note, { capture: true });
    });
    for (let n = 0; n < 4; n += 1) await page.keyboard.press("Escape");
    await page.mouse.click(5, 5);
    // Esc is also ignored if no element of the page has the focus.
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    expect(await page.evaluate(() => document.activeElement === document.body)).toBe(true);
    for (let n = 0; n < 4; n += 1) await page.keyboard.press("Escape");
    expect(await isModal()).toBe(true);
    // The dialog was never closed, not even briefly. Otherwise, a click could reach the page behind
    // the dialog.
    expect(await page.evaluate(() => "isClosed" in window)).toBe(false);
    expect(await page.getByRole("button", { name: "Close" }).count()).toBe(0);
    await page.getByRole("button", { name: "I have it" }).click();
    await dialog.waitFor({ state: "detached" });
    expect(await focused()).toBe("Open kept dialog");
  });

  it("a dialog whose request is in progress is not closed by Esc, Cancel, the cross or a click beside it", async () => {
    await page.getByRole("button", { name: "Ask slowly" }).click();
    const dialog = page.getByRole("dialog", { name: "Slowly?" });
    await dialog.getByRole("button", { name: "Begin" }).click();
    for (let n = 0; n < 4; n += 1) await page.keyboard.press("Escape");
    await page.mouse.click(5, 5);
    await dialog.getByRole("button", { name: "Close" }).click({ force: true });
    await dialog.getByRole("button", { name: "Cancel" }).click({ force: true });
    expect(await dialog.evaluate((element) => element.matches(":modal"))).toBe(true);
    expect(await dialog.getByRole("button", { name: "Cancel" }).getAttribute("title")).toBe(
      "Wait until the request ends.",
    );
    await page.evaluate(() => dispatchEvent(new Event("answer")));
    await page.locator("[aria-busy]").waitFor({ state: "detached" });
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
  });

  it("an opened dialog focuses its first field, its Cancel button if it has no field, or the copy button of a secret", async () => {
    for (const [opener, start] of [
      ["Open dialog", "First"],
      ["Ask", "Cancel"],
      ["Open kept dialog", "Copy it"],
    ] as const) {
      await page.getByRole("button", { name: opener, exact: true }).click();
      await page.getByRole("dialog").waitFor();
      await expect.poll(focused).toBe(start);
      await page.reload();
    }
  });

  it("a dialog higher than the window scrolls inside, and a click on its scrollbar does not close the dialog", async () => {
    await page.setViewportSize({ width: 900, height: 420 });
    await page.getByRole("button", { name: "Open tall dialog" }).click();
    const dialog = page.getByRole("dialog", { name: "Tall" });
    await expect.poll(focused).toBe("Last");
    const hidden = (element: Element): number => element.scrollHeight - element.clientHeight;
    expect(await dialog.evaluate(hidden)).toBe(0);
    expect(await dialog.locator(".dialog-body").evaluate(hidden)).toBeGreaterThan(200);
    const box = await dialog.boundingBox();
    await page.mouse.click((box?.x ?? 0) + (box?.width ?? 0) - 4, 210);
    expect(await dialog.count()).toBe(1);
  });

  it("a dialog that shows a secret asks for confirmation before the browser tab is closed", async () => {
    const isKept = () =>
      page.evaluate(() => !dispatchEvent(new Event("beforeunload", { cancelable: true })));
    await page.getByRole("button", { name: "Open dialog" }).click();
    await page.getByRole("dialog").waitFor();
    expect(await isKept()).toBe(false);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Open kept dialog" }).click();
    await page.getByRole("dialog").waitFor();
    expect(await isKept()).toBe(true);
    await page.getByRole("button", { name: "I have it" }).click();
    expect(await isKept()).toBe(false);
  });

  it("a confirmation dialog does nothing if the user cancels, and acts exactly once if the user confirms", async () => {
    await page.getByRole("button", { name: "Ask", exact: true }).click();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByText("confirmed 0 times").waitFor();
    await page.getByRole("button", { name: "Ask", exact: true }).click();
    await page.getByRole("button", { name: "Do it" }).click();
    await page.getByText("confirmed 1 times").waitFor();
    expect(await page.getByRole("dialog").count()).toBe(0);
  });

  it("a toast is announced to screen readers and can be dismissed", async () => {
    await page.getByRole("button", { name: "Do something" }).click();
    await page.getByRole("status").getByText("It was done.").waitFor();
    await page.getByRole("button", { name: "Dismiss" }).click();
    expect(await page.getByText("It was done.").count()).toBe(0);
  });

  it("a repeated failure shows one alert, which stays until the user dismisses it", async () => {
    await page.clock.install();
    const again = page.getByRole("button", { name: "Fail at something" });
    await again.click();
    await again.click();
    const alert = page.getByRole("alert");
    await alert.getByText("It was deleted.").waitFor();
    await page.clock.fastForward("10:00");
    expect(await alert.textContent()).toBe("It was deleted.Request req_1");
    await expectAccessible(page);
    await page.getByRole("button", { name: "Dismiss" }).click();
    expect(await alert.count()).toBe(0);
  });
});
