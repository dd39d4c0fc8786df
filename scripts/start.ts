/** Runs the service on this machine. */
import { fillDemoWorkspace } from "./demo/demo-workspace.ts";
import { runCommand } from "../tools/command-line/command-line.ts";
import { describeError } from "../tools/local/lambda-host.ts";
import { parseSourceChoice } from "../tools/local/sources.ts";
import { reachableStores } from "../tools/sources/storefront/reachable-stores.ts";
import { startWorld } from "../tools/local/world.ts";
import type { World } from "../tools/local/world.ts";

const portDefault = "8787";

const commandLine = {
  name: "npm start",
  about:
    "Runs the service on this machine. PORT sets the port of the API (8787), LOCAL_DIR the data folder (.local).",
  options: {
    fresh: { type: "boolean", default: false, about: "deletes the data of an earlier start" },
    "event-bus": {
      type: "boolean",
      default: false,
      about: "puts every event on a local event bus, and shows it",
    },
    // The items of the demo watchlists exist only in the sandbox, so --source leaves these
    // watchlists out too.
    "empty-demo": {
      type: "boolean",
      default: false,
      about: "leaves the demo workspace without watchlists",
    },
    source: {
      type: "string",
      value: "<what>=<adapter>,<url>",
      multiple: true,
      about: "reads a platform or scraper from your own server, or from a public store",
    },
  },
  examples: [
    "",
    "--fresh",
    "--source retailer_b=storefront,https://store.example",
    "--source retailer_d=upstream,http://127.0.0.1:9900",
  ],
} as const;

interface Values {
  readonly fresh: boolean;
  readonly "empty-demo": boolean;
  readonly "event-bus": boolean;
  readonly source?: readonly string[];
}

async function main({ source = [], ...values }: Values): Promise<void> {
  quietFunctions();
  const dir = process.env["LOCAL_DIR"] ?? ".local";
  const sources = await reachableStores(source.map(parseSourceChoice), print);
  const world = await startWorld({
    dir,
    port: portOf(process.env["PORT"] ?? portDefault),
    fresh: values.fresh,
    sources,
    ...(values["event-bus"] && { context: { eventBus: "on" } }),
    log: print,
    progress: print,
  });
  print(welcome(world, { dir, platform: sources[0]?.target.split(".")[0] }));
  if (values["event-bus"]) print(`Latest events of the bus: ${world.endpoints.events}/events\n`);
  let stopping = false;
  const stop = (): void => {
    stopping = true;
    world.stop().then(() => process.exit(0), fail);
  };
  process.once("SIGINT", stop);
  process.once("SIGTERM", stop);
  if (values["empty-demo"] || sources.length > 0) return;
  // The service already accepts calls while the demo workspace is filled.
  await fillDemoWorkspace(world).catch((error: unknown) => {
    if (!stopping)
      print(
        `The demo workspace is incomplete, but the service works. The next start completes it. The cause: ${describeError(error)}`,
      );
  });
}

/** Hides the log lines of functions, unless POWERTOOLS_LOG_LEVEL is set. */
function quietFunctions(): void {
  process.env["POWERTOOLS_LOG_LEVEL"] ??= "WARN";
  process.env["POWERTOOLS_METRICS_DISABLED"] ??= "true";
}

function portOf(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new Error(`PORT must be an integer from 0 to 65535 (got "${text}").`);
  }
  return port;
}

interface Welcome {
  readonly dir: string;
  /** The platform that reads from a real source; undefined if only the sandbox is used. */
  readonly platform: string | undefined;
}

function welcome(world: World, { dir, platform }: Welcome): string {
  const items =
    platform === undefined
      ? { platform: "retailer_d", ids: ["9000001", "6505678"] }
      : { platform, ids: ["<ID>"] };
  return `
The service runs at ${world.baseUrl} (data in ${dir}; Ctrl-C stops it).
Dashboard:         ${world.baseUrl}/dashboard
Webhook receiver:  ${world.receiverUrl}
S3 endpoint:       ${world.bucketEndpoint} (customer's bucket: ${world.customerBucket})
API key:           ${world.apiKey}
Demo key (reads):  ${world.demoApiKey}

First call:

  curl ${world.baseUrl}/v1/products \\
    -H 'Authorization: Bearer ${world.apiKey}' \\
    -H 'Content-Type: application/json' \\
    -d '${JSON.stringify(items)}'
`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function fail(error: unknown): void {
  process.stderr.write(`${describeError(error)}\n`);
  process.exit(1);
}

await runCommand(
  commandLine,
  ({ values }) =>
    main(values).catch((error: unknown) => {
      throw new Error(describeError(error), { cause: error });
    }),
  { exit: "after an error" },
);
