import { existsSync, globSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import type { ValuesOf } from "../../../tools/command-line/command-line.ts";

/** The options that name the programs of the bench. */
export const toolOptions = {
  source: { type: "string", value: "<folder>", about: "a checkout of Outpost, to build with Go" },
  binary: {
    type: "string",
    value: "<file>",
    about: "the built program outpost, with outpost-server in the same folder",
  },
  go: { type: "string", value: "<file>", about: "the program go" },
  redis: { type: "string", value: "<file>", about: "the program redis-server" },
  postgres: { type: "string", value: "<folder>", about: "the folder of postgres and initdb" },
  rabbitmq: { type: "string", value: "<file>", about: "the program rabbitmq-server" },
  epmd: { type: "string", value: "<file>", about: "the program epmd of Erlang" },
} as const;

export type ToolValues = Partial<ValuesOf<typeof toolOptions>>;

/** The paths of the programs that the bench starts. */
export interface Tools {
  readonly redis: string;
  readonly postgres: string;
  readonly initdb: string;
  readonly rabbitmq: string;
  /** The port mapper of Erlang. RabbitMQ needs it. */
  readonly epmd: string;
  readonly outpost: OutpostProgram;
}

/** The folder of the built programs of Outpost, or a checkout to build with Go. */
export type OutpostProgram =
  | { readonly built: string }
  | { readonly source: string; readonly go: string };

/** The machine on which the bench looks for programs. */
export interface Machine {
  readonly platform: string;
  /** The folders to search, in order. */
  readonly folders: readonly string[];
  readonly exists: (path: string) => boolean;
}

/**
 * The result of a search: the paths of all programs, or one line for each missing program that
 * names what to install or to pass.
 */
export type FoundTools = { readonly tools: Tools } | { readonly missing: readonly string[] };

/** Returns this machine. Its folders are those of PATH and the usual folders of the programs. */
export function thisMachine(): Machine {
  return {
    platform: process.platform,
    folders: [
      // Searched first, because Debian's rabbitmq-server in /usr/sbin changes the user and writes
      // to /var/log.
      "/usr/lib/rabbitmq/bin",
      ...(process.env["PATH"] ?? "").split(delimiter),
      "/usr/local/go/bin",
      "/usr/local/bin",
      "/usr/local/sbin",
      "/usr/sbin",
      ...globSync("/usr/lib/postgresql/*/bin").toSorted().toReversed(),
    ],
    exists: existsSync,
  };
}

/**
 * Finds the programs of the bench. If an option names the path of a program, uses this path.
 * Otherwise searches the folders of the machine. If a program is missing, returns one line for each
 * missing program instead of the paths.
 */
export function findTools(values: ToolValues, machine: Machine): FoundTools {
  const missing: string[] = [];
  const find = (wanted: Wanted): string => {
    const found = pathOf(wanted, machine);
    if (typeof found === "string") return found;
    missing.push(found.missing);
    return "";
  };
  if (machine.platform !== "linux") {
    missing.push(`The bench reads /proc. Run it on Linux (got "${machine.platform}").`);
  }
  const outpost = outpostOf(values, find);
  const postgres = find({
    program: "postgres",
    option: "postgres",
    given: inFolder(values.postgres, "postgres"),
    install: "install it with apt-get install postgresql",
  });
  const initdb = find({
    program: "initdb",
    option: "postgres",
    given: inFolder(values.postgres ?? folderOf(postgres), "initdb"),
    install: "install it with apt-get install postgresql",
  });
  const redis = find({
    program: "redis-server",
    option: "redis",
    given: values.redis,
    install: "install it with apt-get install redis-server",
  });
  const [rabbitmq = "", epmd = ""] = (
    [
      { program: "rabbitmq-server", option: "rabbitmq", given: values.rabbitmq },
      { program: "epmd", option: "epmd", given: values.epmd },
    ] as const
  ).map((wanted) =>
    find({ ...wanted, install: "install it with apt-get install rabbitmq-server" }),
  );
  return missing.length > 0
    ? { missing }
    : { tools: { redis, postgres, initdb, rabbitmq, epmd, outpost } };
}

interface Wanted {
  readonly program: string;
  /** The option that names the program or its folder. */
  readonly option: keyof typeof toolOptions;
  /** The path from the option. Without it, the folders of the machine are searched. */
  readonly given: string | undefined;
  /** How to get the program, as the beginning of a sentence. */
  readonly install: string;
}

const inFolder = (folder: string | undefined, program: string): string | undefined =>
  folder === undefined ? undefined : join(folder, program);
const folderOf = (file: string): string | undefined => (file === "" ? undefined : dirname(file));

function pathOf(
  { program, option, given, install }: Wanted,
  { folders, exists }: Machine,
): string | { readonly missing: string } {
  const { value } = toolOptions[option];
  if (given !== undefined) {
    if (exists(given)) return given;
    return { missing: `${program} is missing: ${given} does not exist. Correct --${option}.` };
  }
  const found = folders.map((folder) => join(folder, program)).find(exists);
  return (
    found ?? {
      missing: `${program} is missing: ${install}, or pass --${option} ${value}.`,
    }
  );
}

function outpostOf(values: ToolValues, find: (wanted: Wanted) => string): OutpostProgram {
  const { source, binary } = values;
  if (source !== undefined && binary === undefined) {
    const given = join(source, "cmd/outpost-server/main.go");
    find({ program: "outpost", option: "source", given, install: "" });
    return { source, go: find({ ...goProgram, given: values.go }) };
  }
  const outpost = find({
    program: "outpost",
    option: "binary",
    given: binary,
    install: "clone https://github.com/hookdeck/outpost and pass --source <folder>",
  });
  const given = inFolder(folderOf(outpost), "outpost-server");
  if (given !== undefined) {
    find({ program: "outpost-server", option: "binary", given, install: "" });
  }
  return { built: dirname(outpost) };
}

const goProgram = {
  program: "go",
  option: "go",
  install: "install it from https://go.dev/doc/install",
} as const;
