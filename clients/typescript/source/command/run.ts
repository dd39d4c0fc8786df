import { createRequire } from "node:module";
import { Client } from "../client.ts";
import { ApiError } from "../errors.ts";
import { type Options, parse, suggestion, textOf, UsageError, type Values } from "./arguments.ts";
import type { Command } from "./command.ts";
import type { Format, Output } from "./output.ts";
import { changes } from "./changes.ts";
import { tail } from "./events-tail.ts";
import { download } from "./export-download.ts";
import { listen } from "./listen.ts";
import { products } from "./products.ts";
import { createWatchlist, listWatchlists } from "./watchlists.ts";

const { version } = createRequire(import.meta.url)("../../package.json") as { version: string };

const commands: readonly Command[] = [
  products,
  createWatchlist,
  listWatchlists,
  changes,
  tail,
  listen,
  download,
];

const sharedOptions: Options = {
  json: { type: "boolean", about: "one JSON object per line" },
  csv: { type: "boolean", about: "CSV with a header" },
  "base-url": {
    type: "string",
    value: "<url>",
    about: "the address of the service (default: RPD_BASE_URL)",
  },
  help: { type: "boolean", about: "prints this text" },
};

/**
 * Runs a command line, and prints its error if it fails. Returns the exit code: 0 after success, 1
 * after a failure, 2 after a usage error, and 130 if the user stopped the command.
 */
export async function run(args: readonly string[], output: Output): Promise<number> {
  const abort = new AbortController();
  const stop = (): void => abort.abort();
  process.once("SIGINT", stop);
  try {
    await runCommand(args, output, abort.signal);
    return 0;
  } catch (error) {
    if (abort.signal.aborted) return 130;
    output.warn(`rpd: ${messageOf(error)}\n`);
    return error instanceof UsageError ? 2 : 1;
  } finally {
    process.off("SIGINT", stop);
  }
}

async function runCommand(
  args: readonly string[],
  output: Output,
  signal: AbortSignal,
): Promise<void> {
  const isHelp = args.includes("--help") || args.includes("-h");
  const command = commandOf(args);
  if (command === undefined) {
    if (args[0] === "--version") return output.write(`${version}\n`);
    if (args.length === 0 || isHelp || args[0] === "help") return output.write(overview());
    const end = args.findIndex((arg) => arg.startsWith("-"));
    const word = args.slice(0, end === -1 ? undefined : end).join(" ");
    const names = commands.map(({ name }) => name);
    throw new UsageError(
      `There is no command '${word}'.${suggestion(word, names)} See rpd --help.`,
    );
  }
  if (isHelp) return output.write(helpOf(command));
  const rest = args.slice(command.name.split(" ").length);
  const { values, words } = parse(rest, { ...command.options, ...sharedOptions });
  if (words.length > 0 && command.argument === undefined)
    throw new UsageError(
      `'${command.name}' takes no argument (got "${words.join(" ")}"). Remove it.`,
    );
  // Creates a client only on demand, because a command that does not call the service needs no
  // address.
  const client = (): Client => {
    const baseUrl = textOf(values, "base-url") ?? process.env["RPD_BASE_URL"];
    if (!baseUrl)
      throw new UsageError(
        "The address of the service is missing. Set RPD_BASE_URL or --base-url.",
      );
    return new Client({ baseUrl });
  };
  await command.run({ client, values, words, format: formatOf(values), output, signal });
}

/** Returns the command whose name is the beginning of the arguments; undefined if there is none. */
const commandOf = (args: readonly string[]): Command | undefined =>
  commands.find(({ name }) => name.split(" ").every((word, n) => args[n] === word));

function formatOf({ json, csv }: Values): Format {
  if (json === true && csv === true)
    throw new UsageError("--json and --csv exclude each other. Omit one of them.");
  if (json === true) return "json";
  return csv === true ? "csv" : "table";
}

function messageOf(error: unknown): string {
  if (error instanceof ApiError) {
    const param = error.param === undefined ? "" : ` (${error.param})`;
    if (error.status === 401 && !process.env["RPD_API_KEY"])
      return "The service requires a key. Set RPD_API_KEY to your key.";
    const request = error.requestId === undefined ? "" : ` Request: ${error.requestId}.`;
    return `${error.code}${param}: ${error.message}${request}`;
  }
  return error instanceof Error ? error.message : String(error);
}

const overview = (): string =>
  [
    "rpd reads products, watchlists, changes, events and exports of the Retail Product Data Service.",
    "",
    "Set RPD_BASE_URL to the address of the service, and RPD_API_KEY to your key.",
    "",
    "Commands:",
    ...aligned(commands.map(({ name, about }) => [`rpd ${name}`, about])),
    "",
    "rpd <command> --help shows the options and examples of a command. rpd --version prints the version.",
    "",
  ].join("\n");

function helpOf({ name, about, argument = "", options, examples }: Command): string {
  const rows = Object.entries({ ...options, ...sharedOptions }).map(
    ([option, { value = "", about: text }]): readonly [string, string] => [
      `--${option} ${value}`.trimEnd(),
      text,
    ],
  );
  return [
    about,
    "",
    `Usage: rpd ${[name, argument].join(" ").trimEnd()} [options]`,
    ...aligned(rows),
    "",
    "Examples:",
    ...examples.map((example) => `  rpd ${example}`),
    "",
  ].join("\n");
}

function aligned(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`);
}
