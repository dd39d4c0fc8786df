import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import {
  type DashboardWorld,
  expectLoaded,
  lacksChromium,
  startDashboardWorld,
} from "./dashboard-world.ts";

/** Markup that attacks the page when it is injected, by the policy directive that must block it. */
const attempts: Readonly<Record<string, () => void>> = {
  "script-src-elem": () => {
    const script = document.createElement("script");
    script.textContent = "window.injected = true";
    document.body.append(script);
  },
  "script-src-attr": () => {
    const button = document.createElement("button");
    button.setAttribute("onclick", "window.injected = true");
    document.body.append(button);
    button.click();
  },
  "script-src": () => {
    // Runs later in the page, because the policy does not apply to a call that the debugger makes.
    setTimeout(() => {
      try {
        // oxlint-disable-next-line typescript/no-implied-eval -- the policy must block it
        new Function("window.injected = true")();
      } catch {
        // The browser reports the violation as an event too.
      }
    });
  },
  "style-src-elem": () => {
    const style = document.createElement("style");
    style.textContent = "h1 { display: none }";
    document.head.append(style);
  },
  "style-src-attr": () => {
    const box = document.createElement("div");
    box.setAttribute("style", "color: red");
    document.body.append(box);
  },
  "connect-src": () => {
    fetch("https://elsewhere.example/").catch(() => {});
  },
  "img-src": () => {
    const image = document.createElement("img");
    image.src = "https://elsewhere.example/pixel.png";
    document.body.append(image);
  },
  "frame-src": () => {
    const frame = document.createElement("iframe");
    frame.src = "https://elsewhere.example/";
    document.body.append(frame);
  },
  "base-uri": () => {
    const base = document.createElement("base");
    base.href = "https://elsewhere.example/";
    document.head.append(base);
  },
  "form-action": () => {
    const form = document.createElement("form");
    form.action = "https://elsewhere.example/";
    document.body.append(form);
    form.submit();
  },
};

/** Every page without parameters, and its heading. */
const pages = {
  "/changes": "What changed",
  "/overview": "Overview",
  "/keys": "API keys",
  "/watchlists": "Watchlists",
  "/watchlists/new": "New watchlist",
  "/webhooks": "Webhooks",
  "/exports": "S3 export",
  "/try": "Try it",
  "/sources": "Sources",
} as const;

describe.skipIf(lacksChromium)("the dashboard's Content-Security-Policy", () => {
  let dashboard: DashboardWorld;
  beforeAll(async () => {
    dashboard = await startDashboardWorld();
  });
  afterEach(() => dashboard.closeAll());
  afterAll(() => dashboard.dispose());

  const violated = (page: Page): Promise<readonly string[]> =>
    page.evaluate(() => Reflect.get(window, "violated") as string[]);

  const listen = (page: Page): Promise<void> =>
    page.evaluate(() => {
      const violatedDirectives: string[] = [];
      Reflect.set(window, "violated", violatedDirectives);
      document.addEventListener("securitypolicyviolation", (event) =>
        violatedDirectives.push(event.effectiveDirective),
      );
    });

  it.each(Object.keys(attempts))(
    "makes the browser block an action that the directive '%s' forbids",
    async (directive) => {
      const { page, signIn, faults } = await dashboard.open();
      await signIn();
      await page.getByRole("heading", { level: 1 }).waitFor();
      await listen(page);
      const attempt = attempts[directive];
      if (attempt === undefined) throw new Error(directive);
      const left: string[] = [];
      page.on("request", (request) => {
        if (!request.url().startsWith(new URL(dashboard.url).origin)) left.push(request.url());
      });
      page.on("requestfailed", (request) => {
        // The policy refused the request before it was sent.
        if (request.failure()?.errorText === "csp") left.splice(left.indexOf(request.url()), 1);
      });
      await page.evaluate(attempt);
      await expect.poll(() => violated(page)).toContain(directive);
      expect(await page.evaluate(() => "injected" in window)).toBe(false);
      expect(await page.getByRole("heading", { level: 1 }).isVisible()).toBe(true);
      expect(page.url()).toContain(dashboard.url);
      await expect.poll(() => left).toEqual([]);
      // The browser also reports the blocked request in the console, before the page is closed.
      await page.close();
      const messages = faults.splice(0).filter((fault) => !fault.startsWith("request to "));
      expect(messages.filter((fault) => !/Content Security Policy/.test(fault))).toEqual([]);
    },
  );

  it("is not violated by any page of the dashboard", async () => {
    const { page, signIn, goTo } = await dashboard.open();
    await listen(page);
    await signIn();
    for (const [path, heading] of Object.entries(pages)) {
      await goTo(path, heading);
      await expectLoaded(page);
    }
    expect(await violated(page)).toEqual([]);
  });
});
