import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join, resolve, sep } from "node:path";
import { readRuns, readTables } from "../exports.ts";
import { folderStore } from "../folder-store.ts";
import { s3Store } from "../s3-store.ts";
import { required, textOf, UsageError } from "./arguments.ts";
import type { Command } from "./command.ts";
import { type Row, writeRows } from "./output.ts";

export const download: Command = {
  name: "export download",
  about:
    "Copies the complete runs of an S3 export into a folder, and checks that nothing is missing. Uses AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN and AWS_REGION.",
  options: {
    bucket: { type: "string", value: "<name>", about: "the bucket (required)" },
    to: { type: "string", value: "<folder>", about: "the folder to copy to (required)" },
    prefix: { type: "string", value: "<prefix>", about: "the prefix of the destination" },
    since: { type: "string", value: "<date>", about: "only runs of this UTC date or later" },
    endpoint: {
      type: "string",
      value: "<url>",
      about: "the endpoint of an S3-compatible store other than AWS",
    },
    region: { type: "string", value: "<region>", about: "default: AWS_REGION, or us-east-1" },
  },
  examples: ["export download --bucket my-bucket --prefix shop/ --to ./events"],
  async run({ values, format, output }) {
    const to = resolve(required(values, "to"));
    const [endpoint, region] = [textOf(values, "endpoint"), textOf(values, "region")];
    const bucket = required(values, "bucket");
    const store = s3Store({ bucket, ...(endpoint && { endpoint }), ...(region && { region }) });
    const copied = new Map<string, Uint8Array>();
    // Records the bytes of each object that `readRuns` and `readTables` read. After the check, the
    // command writes these bytes and does not read the objects again.
    const recording = {
      keys: (within: string) => store.keys(within),
      read: async (key: string) => {
        const content = await store.read(key);
        copied.set(key, content);
        return content;
      },
    };
    const [prefix, since] = [textOf(values, "prefix") ?? "", textOf(values, "since") ?? ""];
    const onIncomplete = (folder: string): void =>
      output.warn(`Skipped ${folder}: it has no manifest yet, so its export is not complete.\n`);
    let runs = 0;
    async function* rows(): AsyncGenerator<Row> {
      for await (const run of readRuns(recording, { prefix, since, onIncomplete })) {
        runs += 1;
        await readTables(recording, run.manifest);
        for (const [key, content] of copied) await write(to, key, content);
        copied.clear();
        yield { folder: run.folder, events: run.events.length, bytes: run.manifest.totals.bytes };
      }
    }
    await writeRows(rows(), ["folder", "events", "bytes"], { format, output });
    if (runs === 0)
      throw new UsageError(
        `The bucket ${bucket} has no complete run at the prefix "${prefix}"${since && ` since ${since}`}. ` +
          "--prefix must be the prefix of the S3 destination, with its slash at the end. --since must not be later than the date of the newest run.",
      );
    for await (const run of readRuns(folderStore(to), { prefix, since })) void run;
  },
};

async function write(to: string, key: string, content: Uint8Array): Promise<void> {
  const path = join(to, key);
  if (!path.startsWith(`${to}${sep}`))
    throw new UsageError(
      `The object key ${key} leads outside the folder ${to}. Check what wrote it to the bucket.`,
    );
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
}
