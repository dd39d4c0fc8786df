/**
 * Which files may import which, type imports included. A file belongs to the longest entry that its
 * path begins with. It may import the files of that entry, and those that the entry's list names.
 * An entry that ends in `/` is a folder, with all subfolders that have no entry. The linter's rule
 * `import/no-cycle` forbids cycles. Each entry in the list of another entry is an arrow. A test
 * fails if no import uses an arrow, so that this table shows the architecture as it is.
 */

/** Returns the folders and files with these names inside `root`; the spaces separate names. */
const inside = (root: string) => (names: string) =>
  names.split(" ").map((name) => `${root}/${name}${name.endsWith(".ts") ? "" : "/"}`);
const shared = inside("shared");
const functions = inside("functions");
const browser = inside("functions/dashboard/browser");
const tools = inside("tools");
const scripts = inside("scripts");
/** Imports of every Lambda function. */
const lambda = functions("composition environment.ts");
/** Imports of every API group, and of every worker that receives queue messages. */
const group = [...lambda, ...functions("http")];
const worker = [...lambda, ...functions("queue")];

/** For each entry, the entries whose files its files may import. */
export const arrows: Readonly<Record<string, readonly string[]>> = {
  // The domain. It imports no adapter. Of `shared/outgoing`, it imports the rules and the ports,
  // but not the files that open connections.
  "shared/base/": [],
  "shared/observability/": [],
  "shared/cron/": shared("base"),
  "shared/platforms/": shared("base"),
  "shared/credits/": shared("base"),
  "shared/accounts/": shared("base credits"),
  "shared/scrapers/": shared("base platforms"),
  "shared/items/": shared("base credits observability/metrics.ts platforms scrapers"),
  "shared/source-health/": shared("base platforms scrapers"),
  "shared/pipelines/": shared("base credits items platforms scrapers"),
  "shared/events/": shared("base"),
  "shared/outgoing/": shared("base"),
  "shared/outbox/": shared("base observability/metrics.ts"),
  "shared/webhooks/": [
    ...shared("base events observability/metrics.ts outbox"),
    ...shared("outgoing/address-policy.ts outgoing/public-url.ts outgoing/resolver.ts"),
    ...shared("outgoing/sender.ts outgoing/url.ts"),
  ],
  "shared/exports/": [
    ...shared("base events observability/metrics.ts outbox scrapers"),
    ...shared("outgoing/address-policy.ts outgoing/public-url.ts outgoing/resolver.ts"),
    ...shared("outgoing/url.ts"),
  ],
  "shared/event-bus/": shared("base events observability/metrics.ts outbox"),
  "shared/messages/": [],
  "shared/publishing/": shared("base event-bus events exports outbox runs watchlists webhooks"),
  "shared/watchlists/": [
    ...shared("base credits cron pipelines platforms scrapers webhooks"),
    ...shared("outgoing/url.ts"),
  ],
  "shared/history/": shared("base platforms scrapers"),
  "shared/runs/": [
    ...shared("base credits events history items observability/metrics.ts pipelines"),
    ...shared("platforms scrapers watchlists webhooks"),
  ],
  "shared/played-runs/": shared("base credits events history runs watchlists"),
  "shared/backtest/": [
    ...shared("base credits events history pipelines played-runs runs scrapers watchlists"),
  ],
  "shared/preview/": [
    ...shared("base credits history items pipelines platforms played-runs runs scrapers"),
    ...shared("watchlists"),
  ],

  // The adapters of AWS.
  "shared/aws/sdk/": shared("base"),
  "shared/aws/table/": shared("aws/sdk base outbox"),
  "shared/aws/ledger/": shared("accounts aws/table base credits observability/metrics.ts"),
  "shared/aws/accounts/": shared("accounts aws/ledger aws/table base credits"),
  "shared/aws/watchlists/": shared("aws/table base cron messages watchlists"),
  "shared/aws/backtest/": shared("aws/table backtest"),
  "shared/aws/runs/": shared("aws/table base runs watchlists"),
  "shared/aws/history/": shared("aws/table base history"),
  "shared/aws/deliveries/": shared("aws/table base events outbox outgoing/probe-limit.ts webhooks"),
  "shared/aws/event-bus/": shared("event-bus"),
  "shared/aws/exports/": [
    ...shared("aws/deliveries aws/sdk aws/table base exports outgoing/address-policy.ts"),
    ...shared("outgoing/exchange-attempt.ts outgoing/guarded-connection.ts"),
  ],
  "shared/aws/publishing/": shared("aws/deliveries aws/exports publishing"),
  "shared/aws/queues/": shared("backtest base credits messages outbox runs"),
  "shared/aws/sources/": [
    ...shared("aws/sdk aws/table base source-health sources/contract sources/http"),
  ],

  // The adapters of sources. Imports: registry → adapters → contract → http.
  "shared/sources/http/": shared("base"),
  "shared/sources/contract/": shared("base sources/http"),
  "shared/sources/price-history/": [
    ...shared("base platforms scrapers sources/contract sources/http"),
  ],
  "shared/sources/affiliate/": shared("base platforms scrapers sources/contract sources/http"),
  "shared/sources/catalog/": shared("base platforms scrapers sources/contract sources/http"),
  "shared/sources/sandbox/": shared("base platforms scrapers"),
  "shared/sources/storefront/": shared("base platforms scrapers sources/contract sources/http"),
  "shared/sources/upstream/": shared("base platforms scrapers sources/contract sources/http"),
  "shared/sources/web/": shared("base platforms scrapers sources/contract sources/http"),
  "shared/sources/registry/": [
    ...shared("base observability/metrics.ts observability/work-log.ts scrapers source-health"),
    ...shared("sources/contract sources/http"),
    ...shared("sources/affiliate sources/catalog sources/price-history sources/sandbox"),
    ...shared("sources/storefront sources/upstream sources/web"),
  ],

  // The Lambda functions. Only `functions/mcp` imports other functions, for its tools.
  "functions/": shared("accounts/scopes.ts"),
  "functions/composition/": ["shared/", ...functions("environment.ts http")],
  "functions/http/": [
    ...shared("accounts base items observability/metrics.ts observability/metric-names.ts"),
    ...shared("observability/work-log.ts outgoing/url.ts scrapers"),
    ...functions("routes.ts"),
  ],
  "functions/queue/": shared("base observability/metrics.ts observability/work-log.ts"),
  "functions/account/": [...group, ...shared("accounts base credits exports runs webhooks")],
  "functions/backtest-runner/": [...worker, ...shared("backtest messages")],
  "functions/dashboard/": [...group, ...shared("base")],
  "functions/delivery/": [
    ...worker,
    ...shared("base exports messages observability/work-log.ts outbox webhooks"),
  ],
  "functions/events/": [...group, ...shared("base events webhooks")],
  // The tools of agents are operations of other groups.
  "functions/mcp/": [
    ...group,
    ...functions("account offers platforms products routes.ts watchlists"),
    ...shared("accounts backtest base items observability/work-log.ts"),
    ...shared("pipelines/pipeline-body.ts source-health"),
  ],
  "functions/meta/": [
    ...group,
    ...shared("base events/event.ts sources/storefront/agent-profile.ts"),
  ],
  "functions/offers/": [...group, ...shared("items platforms")],
  "functions/platforms/": [...group, ...shared("base platforms source-health")],
  "functions/products/": [...group, ...shared("items platforms")],
  "functions/run-finisher/": [...worker, ...shared("messages observability/work-log.ts runs")],
  "functions/run-starter/": [
    ...worker,
    ...shared("base credits messages observability/work-log.ts runs watchlists"),
  ],
  "functions/run-step/": [...worker, ...shared("messages observability/work-log.ts runs")],
  "functions/s3-destination/": [...group, ...shared("exports outgoing/probe-limit.ts")],
  "functions/structured/": [...group, ...shared("platforms")],
  "functions/sweeper/": [
    ...lambda,
    ...shared("base credits observability/metrics.ts observability/work-log.ts outbox runs"),
    ...shared("watchlists"),
  ],
  "functions/watchlists/": [
    ...group,
    ...shared("accounts backtest base history items observability/metrics.ts"),
    ...shared("observability/work-log.ts pipelines platforms preview runs source-health"),
    ...shared("watchlists webhooks"),
  ],
  "functions/webhook-endpoints/": [...group, ...shared("outbox outgoing/probe-limit.ts webhooks")],

  // The dashboard. Imports: pages → shell → ui → api, and session → ui.
  "functions/dashboard/browser/": browser("api pages session shell ui"),
  "functions/dashboard/browser/format/": [],
  "functions/dashboard/browser/api/": [
    ...shared("accounts backtest credits exports history pipelines platforms runs"),
    ...shared("source-health watchlists webhooks"),
  ],
  "functions/dashboard/browser/ui/": browser("api format"),
  "functions/dashboard/browser/session/": browser("api ui"),
  "functions/dashboard/browser/shell/": [
    ...browser("api format ui"),
    ...shared("watchlists/search-words.ts"),
  ],
  "functions/dashboard/browser/pages/": [
    ...browser("api format shell ui"),
    ...shared("events"),
    ...shared("scrapers/reserved-ids.ts"),
  ],

  // The CDK app. It imports only the files that it shares with the functions.
  "lib/": [
    ...functions("environment.ts routes.ts"),
    ...shared("base event-bus/event-bus.ts exports/tables.ts observability/metric-names.ts"),
    ...shared("scrapers/catalog.ts"),
    ...shared(
      "sources/contract/secret-reference.ts sources/registry/check-rules.ts sources/registry/configuration.ts",
    ),
  ],

  // Tools that both commands and tests use.
  "tools/command-line/": ["shared/"],
  "tools/contract/": ["shared/", ...tools("credits customer local python")],
  "tools/credits/": ["shared/"],
  "tools/customer/": [],
  "tools/dashboard/": [],
  "tools/documents/": ["shared/"],
  "tools/dynamodb/": [],
  "tools/labeled-pages/": ["shared/", ...tools("stand-ins")],
  "tools/local/": ["shared/", "functions/", "lib/"],
  "tools/migrations/": ["shared/", ...tools("command-line reconcile")],
  "tools/past/": ["shared/", "functions/", ...tools("credits local stand-ins")],
  "tools/python/": [],
  "tools/reconcile/": ["shared/"],
  "tools/sources/": ["shared/", ...tools("local")],
  "tools/stand-ins/": ["shared/"],

  // Commands: the files of `scripts`, each with a folder for its parts.
  "scripts/": ["shared/", "lib/", "tools/", "scripts/"],
  "scripts/admin/": [
    "shared/",
    "lib/",
    ...tools("command-line credits local migrations reconcile"),
    ...scripts("cloudformation demo"),
  ],
  "scripts/bench/": [
    "shared/",
    "functions/",
    "lib/",
    ...tools(
      "command-line credits customer dashboard dynamodb labeled-pages local past reconcile stand-ins",
    ),
    ...scripts("measure"),
  ],
  "scripts/clients/": [...tools("documents python"), ...scripts("published")],
  "scripts/capacity/": ["shared/", "functions/", "lib/"],
  "scripts/check-upstream/": ["shared/"],
  "scripts/cloudformation/": [],
  "scripts/costs/": ["shared/", "lib/", ...tools("command-line local"), ...scripts("measure")],
  "scripts/dashboard/": ["shared/", ...tools("command-line customer dashboard local")],
  "scripts/demo/": ["shared/", ...tools("customer local past")],
  "scripts/deploy-smoke/": [
    "shared/",
    "lib/",
    ...tools("customer local python"),
    ...scripts("cloudformation release tour"),
  ],
  "scripts/docs/": ["shared/", ...tools("documents")],
  "scripts/lint-templates/": ["lib/"],
  "scripts/measure/": ["shared/", "functions/", "lib/", ...tools("local")],
  "scripts/openapi/": ["shared/", "functions/", ...tools("documents")],
  "scripts/published/": ["shared/", ...tools("documents"), ...scripts("docs openapi")],
  "scripts/outage/": ["shared/", "functions/", ...tools("customer local reconcile")],
  "scripts/release/": ["lib/", ...tools("python"), ...scripts("cloudformation")],
  "scripts/replay/": ["shared/", ...tools("command-line local")],
  "scripts/storefront/": ["shared/", ...tools("command-line sources")],
  "scripts/tour/": [
    "shared/",
    "clients/typescript/source/",
    ...tools("customer"),
    ...scripts("clients"),
  ],

  // The TypeScript client, a separate package, which imports nothing of the project. Its command
  // line imports the client.
  "clients/typescript/source/": [],

  // Tests, which no other file imports. The test of a command imports that command.
  "test/": ["shared/", "functions/", "lib/", "tools/"],
  // The configuration starts the global set-up of its tests.
  "test/clients.config.ts": ["test/", "test/clients/end-to-end/"],
  "test/clients/end-to-end/": ["tools/", "test/", ...scripts("clients"), "clients/"],
  "test/clients/typescript/": ["clients/", "scripts/clients/"],
  "test/scripts/": ["shared/", "functions/", "lib/", "tools/", "test/", "scripts/"],
};

const longestFirst = Object.keys(arrows).toSorted((one, other) => other.length - one.length);

/**
 * Returns the entry of `arrows` to which a file belongs: the longest one with which the path
 * begins. Returns undefined if there is none.
 */
export const entryOf = (path: string): string | undefined =>
  longestFirst.find((entry) => path.startsWith(entry));

/**
 * Returns true if `end`, a name in a list of `arrows`, is the file `to` or a folder that contains
 * it.
 */
export const leadsTo = (end: string, to: string): boolean =>
  end.endsWith("/") ? to.startsWith(end) : to === end;

/**
 * Returns true if the file `from` may import the file `to`. Both are paths from the root of the
 * project. Returns false if the rules have no entry for `from`.
 */
export function mayImport(from: string, to: string): boolean {
  const entry = entryOf(from);
  if (entry === undefined) return false;
  if (entryOf(to) === entry) return true;
  return (arrows[entry] ?? []).some((end) => leadsTo(end, to));
}
