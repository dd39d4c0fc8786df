/**
 * Which files may import which, type imports included. A file belongs to the longest entry that its
 * path begins with. It may import the files of that entry, and the files of the entries in its
 * list. An entry that ends in `/` is a folder, with all subfolders that have no entry. The linter's
 * rule `import/no-cycle` forbids cycles.
 */

/** Files that every domain may import: the base, metrics and log lines. */
const everyDomain = [
  "shared/base/",
  "shared/observability/figures.ts",
  "shared/observability/metric-names.ts",
  "shared/observability/work-log.ts",
];
/**
 * The rules and ports of outgoing requests. The files that open connections are not in this list:
 * only the composition root may import them.
 */
const outgoing = [
  "shared/outgoing/address-policy.ts",
  "shared/outgoing/probe-limit.ts",
  "shared/outgoing/public-url.ts",
  "shared/outgoing/resolver.ts",
  "shared/outgoing/sender.ts",
  "shared/outgoing/url.ts",
];
const reading = ["shared/platforms/", "shared/credits/", "shared/accounts/", "shared/scrapers/"];
const sending = ["shared/events/", "shared/outbox/", ...outgoing];
const domains = [
  ...everyDomain,
  ...reading,
  ...sending,
  "shared/cron/",
  "shared/items/",
  "shared/pipelines/",
  "shared/watchlists/",
  "shared/history/",
  "shared/runs/",
  "shared/webhooks/",
  "shared/exports/",
  "shared/publishing/",
  "shared/backtest/",
  "shared/preview/",
];
/** Files from which routes and workers are built. */
const edge = [
  "functions/routes.ts",
  "functions/environment.ts",
  "functions/composition/",
  "functions/http/",
  "functions/queue/",
];
const adapter = [
  "shared/base/",
  "shared/platforms/",
  "shared/scrapers/",
  "shared/sources/http/",
  "shared/sources/contract/",
];
const group = [...domains, ...edge];
const product = ["shared/", "functions/", "lib/"];

/** For each entry, the entries whose files its files may import. */
export const arrows: Readonly<Record<string, readonly string[]>> = {
  // The domain
  "shared/base/": [],
  "shared/observability/": ["shared/base/"],
  "shared/cron/": everyDomain,
  "shared/platforms/": everyDomain,
  "shared/credits/": everyDomain,
  "shared/accounts/": [...everyDomain, "shared/platforms/", "shared/credits/"],
  "shared/scrapers/": [...everyDomain, "shared/platforms/", "shared/credits/", "shared/accounts/"],
  "shared/items/": [...everyDomain, ...reading],
  "shared/pipelines/": [...everyDomain, ...reading, "shared/items/"],
  "shared/events/": everyDomain,
  "shared/outgoing/": ["shared/base/"],
  "shared/outbox/": everyDomain,
  "shared/webhooks/": [...everyDomain, ...sending],
  "shared/exports/": [...everyDomain, ...sending],
  "shared/publishing/": [...everyDomain, ...sending, "shared/webhooks/", "shared/exports/"],
  "shared/watchlists/": [
    ...everyDomain,
    ...reading,
    "shared/cron/",
    "shared/items/",
    "shared/pipelines/",
    "shared/events/",
    ...outgoing,
    "shared/webhooks/",
  ],
  "shared/history/": [...everyDomain, ...reading],
  "shared/runs/": [
    ...everyDomain,
    ...reading,
    "shared/cron/",
    "shared/items/",
    "shared/pipelines/",
    "shared/events/",
    "shared/watchlists/",
    "shared/history/",
    "shared/webhooks/",
  ],
  "shared/backtest/": [
    ...everyDomain,
    ...reading,
    "shared/pipelines/",
    "shared/events/",
    "shared/watchlists/",
    "shared/history/",
    "shared/runs/",
  ],
  "shared/preview/": [
    ...everyDomain,
    ...reading,
    "shared/items/",
    "shared/pipelines/",
    "shared/watchlists/",
    "shared/history/",
    "shared/runs/",
    "shared/backtest/",
  ],

  // Code that uses AWS services.
  "shared/aws/sdk/": ["shared/base/"],
  "shared/aws/table/": [...domains, "shared/aws/sdk/"],
  "shared/aws/ledger/": [...domains, "shared/aws/table/"],
  "shared/aws/accounts/": [...domains, "shared/aws/table/", "shared/aws/ledger/"],
  "shared/aws/watchlists/": [...domains, "shared/aws/table/"],
  "shared/aws/runs/": [...domains, "shared/aws/table/"],
  "shared/aws/history/": [...domains, "shared/aws/table/"],
  "shared/aws/deliveries/": [...domains, "shared/aws/table/"],
  "shared/aws/exports/": [
    ...domains,
    "shared/outgoing/",
    "shared/aws/sdk/",
    "shared/aws/table/",
    "shared/aws/deliveries/",
  ],
  "shared/aws/queues/": [...domains],
  "shared/aws/sources/": [
    ...everyDomain,
    "shared/aws/table/",
    "shared/sources/http/",
    "shared/sources/contract/",
  ],

  // The adapters of sources. Imports: registry → adapters → contract and http.
  "shared/sources/http/": ["shared/base/"],
  "shared/sources/contract/": [
    "shared/base/",
    "shared/platforms/",
    "shared/scrapers/",
    "shared/sources/http/",
  ],
  "shared/sources/price-history/": adapter,
  "shared/sources/affiliate/": adapter,
  "shared/sources/catalog/": adapter,
  "shared/sources/sandbox/": adapter,
  "shared/sources/upstream/": adapter,
  "shared/sources/web/": adapter,
  "shared/sources/registry/": [
    ...everyDomain,
    "shared/platforms/",
    "shared/scrapers/",
    "shared/sources/",
  ],

  // The Lambda functions. A function imports its own folder, the edge and the domain, but no other
  // function.
  "functions/": [],
  "functions/composition/": [
    "shared/",
    "functions/routes.ts",
    "functions/environment.ts",
    "functions/http/",
  ],
  "functions/http/": [...domains, "functions/routes.ts", "functions/environment.ts"],
  "functions/queue/": [...domains],
  "functions/account/": group,
  "functions/backtest-runner/": group,
  "functions/dashboard/": group,
  "functions/delivery/": group,
  "functions/events/": group,
  "functions/meta/": group,
  "functions/offers/": group,
  "functions/platforms/": group,
  "functions/products/": group,
  "functions/run-finisher/": group,
  "functions/run-starter/": group,
  "functions/run-step/": group,
  "functions/s3-destination/": group,
  "functions/structured/": group,
  "functions/sweeper/": group,
  "functions/watchlists/": group,
  "functions/webhook-endpoints/": group,

  // The dashboard. Imports: pages → shell → session → ui → api.
  "functions/dashboard/browser/": ["functions/dashboard/browser/"],
  "functions/dashboard/browser/format/": [],
  "functions/dashboard/browser/api/": [...domains, "functions/dashboard/browser/format/"],
  "functions/dashboard/browser/ui/": [
    "functions/dashboard/browser/format/",
    "functions/dashboard/browser/api/",
  ],
  "functions/dashboard/browser/session/": [
    "functions/dashboard/browser/api/",
    "functions/dashboard/browser/ui/",
  ],
  "functions/dashboard/browser/shell/": [
    "functions/dashboard/browser/api/",
    "functions/dashboard/browser/ui/",
    "functions/dashboard/browser/session/",
  ],
  "functions/dashboard/browser/pages/": [
    ...domains,
    "functions/dashboard/browser/format/",
    "functions/dashboard/browser/api/",
    "functions/dashboard/browser/ui/",
    "functions/dashboard/browser/session/",
    "functions/dashboard/browser/shell/",
  ],

  // The CDK app. It imports only the files that it shares with the functions.
  "lib/": [
    "functions/routes.ts",
    "functions/environment.ts",
    "shared/base/",
    "shared/observability/metric-names.ts",
    "shared/scrapers/catalogue.ts",
    "shared/sources/registry/configuration.ts",
    "shared/sources/contract/secret-reference.ts",
  ],

  // Tools that both commands and tests use.
  "tools/": [...product, "tools/"],
  // Commands. A command imports no other command except `measure` and the commands that it runs.
  "scripts/": [...product, "tools/", "scripts/"],
  "scripts/measure/": [...product, "tools/"],
  "scripts/bench/": [...product, "tools/", "scripts/measure/", "scripts/admin/"],
  "scripts/costs/": [...product, "tools/", "scripts/measure/"],
  "scripts/docs/": [...product, "tools/"],
  "scripts/openapi/": [...product, "tools/"],

  // Tests, which no other file imports. The test of a command imports that command.
  "test/": [...product, "tools/", "test/"],
  "test/scripts/": [...product, "tools/", "test/", "scripts/"],
};

const entryOf = (path: string): string | undefined =>
  Object.keys(arrows)
    .filter((entry) => path.startsWith(entry))
    .toSorted((one, other) => other.length - one.length)[0];

/**
 * Returns true if the file `from` may import the file `to`. Both are paths from the root of the
 * project. Returns false if the rules have no entry for `from`.
 */
export function mayImport(from: string, to: string): boolean {
  const entry = entryOf(from);
  if (entry === undefined) return false;
  if (entryOf(to) === entry) return true;
  return (arrows[entry] ?? []).some((end) => (end.endsWith("/") ? to.startsWith(end) : to === end));
}
