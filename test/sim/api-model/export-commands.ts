import { gunzipSync } from "node:zlib";
import fc from "fast-check";
import { anything, aCount, aText, idOf, oneOf, type Predicted } from "./compare.ts";
import { type DestinationModel, exportRun, iso } from "./model.ts";
import {
  call,
  command,
  compare,
  conflict,
  drawnOf,
  expectBody,
  expectRefusal,
  mayProbe,
  missing,
  notFound,
  type Played,
  readPages,
  type Refusal,
  refused,
  require,
  type Session,
  settle,
} from "./session.ts";

const path = "/v1/s3_destination";

const shownDestination = (destination: DestinationModel): Record<string, Predicted> => ({
  object: "s3_destination",
  enabled: destination.enabled,
  bucket: destination.bucket,
  region: destination.region,
  endpoint: null,
  force_path_style: false,
  prefix: destination.prefix,
  auth: "access_key",
  access_key_id: destination.accessKeyId,
  secret_hint: destination.secretHint,
  role_arn: null,
  external_id: aText,
  compression: destination.compression,
  status: destination.enabled ? "active" : "disabled",
  last_success_at: anything,
  last_error: null,
  created_at: iso(destination.createdAt),
  updated_at: aText,
});

const credentials = { access_key_id: "AKIA0", secret_access_key: "secret-of-the-customer-1234" };

interface Drawn {
  readonly how: number;
  readonly value: number;
}
const drawn = fc.record({ how: fc.nat(9), value: fc.nat(29) });

const put = command<Drawn>({
  name: "put destination",
  weight: 2,
  drawn,
  async play(session, { how, value }) {
    if (!mayProbe(session)) return "not played";
    const { model, service } = session;
    const wanted = {
      bucket: `bucket-${value % 3}`,
      ...(value % 2 === 0 && { prefix: `p${value % 4}/` }),
      ...(value % 3 === 0 && { compression: "none" }),
      ...(value % 5 === 0 && { region: "eu-west-1" }),
      ...(how === 9 && { enabled: false }),
      ...credentials,
    };
    const answer = await call(session, { method: "PUT", path, body: wanted });
    const before = model.destination;
    const destination: DestinationModel = {
      createdAt: before?.createdAt ?? service.now(),
      bucket: wanted.bucket,
      region: wanted.region || "us-east-1",
      prefix: wanted.prefix || "",
      compression: wanted.compression || "gzip",
      enabled: how !== 9,
      accessKeyId: credentials.access_key_id,
      secretHint: "1234",
    };
    expectBody("put destination", answer, {
      status: before === null ? 201 : 200,
      body: shownDestination(destination),
    });
    model.destination = destination;
    await settle(session);
    return `${answer.status}`;
  },
});

const refusals: readonly (readonly [object, Refusal])[] = [
  [{ ...credentials }, missing("bucket")],
  [{ bucket: "B", ...credentials }, refused("bucket")],
  [{ bucket: "bucket-1" }, { status: 400, code: "MISSING_PARAM" }],
  [{ bucket: "bucket-1", access_key_id: "AKIA0" }, missing("secret_access_key")],
  [{ bucket: "bucket-1", prefix: "/x", ...credentials }, refused("prefix")],
  [{ bucket: "bucket-1", compression: "zip", ...credentials }, refused("compression")],
  [{ bucket: "bucket-1", endpoint: "https://10.0.0.1/", ...credentials }, refused("endpoint")],
  // The bucket rejects writes, so the service does not save the destination.
  [{ bucket: "denied-1", ...credentials }, refused(undefined)],
];

const badPut = command<number>({
  name: "bad destination",
  drawn: fc.nat(refusals.length - 1),
  async play(session, place) {
    if (!mayProbe(session)) return "not played";
    const [body = {}, refusal = notFound] = refusals[place] ?? [];
    const answer = await call(session, { method: "PUT", path, body });
    return expectRefusal(`destination ${JSON.stringify(body)}`, answer, refusal);
  },
});

const use = command<Drawn>({
  name: "destination",
  weight: 3,
  drawn,
  async play(session, { how, value }) {
    if (!mayProbe(session)) return "not played";
    const { model } = session;
    const { destination } = model;
    const send = (method: "GET" | "PATCH" | "DELETE" | "POST", to: string, body?: object) =>
      call(session, { method, path: `${path}${to}`, ...(body && { body }) });
    if (destination === null) {
      const answer = await drawnOf(
        [
          () => send("GET", ""),
          () => send("PATCH", "", { enabled: true }),
          () => send("DELETE", ""),
          () => send("POST", "/test"),
          () => send("POST", "/backfill", { since: iso(session.service.now() - 1_000) }),
        ],
        how,
      )?.();
      if (answer === undefined) return "not played";
      return expectRefusal("no destination", answer, notFound);
    }
    if (how < 2) {
      const body = shownDestination(destination);
      expectBody("destination", await send("GET", ""), { status: 200, body });
      return "200";
    }
    if (how === 2) {
      expectBody("destination test", await send("POST", "/test"), {
        status: 200,
        body: {
          object: "s3_destination_test",
          ok: true,
          error: null,
          param: null,
          message: null,
          duration_ms: 0,
        },
      });
      return "200 test";
    }
    if (how === 3 && value % 2 === 0) {
      expectBody("delete destination", await send("DELETE", ""), {
        status: 200,
        body: { object: "s3_destination", deleted: true },
      });
      model.destination = null;
      await settle(session);
      return "200 deleted";
    }
    return change(session, destination, { how, value });
  },
});

async function change(
  session: Session,
  destination: DestinationModel,
  { how, value }: Drawn,
): Promise<string> {
  const elsewhere = `bucket-${(Number(destination.bucket.at(-1)) + 1) % 3}`;
  const send = (body: object) => call(session, { method: "PATCH", path, body });
  if (how === 4) {
    // The secret is required again if the bucket changes.
    const answer = await send({ bucket: elsewhere });
    return expectRefusal("another bucket", answer, { status: 400, code: "MISSING_PARAM" });
  }
  if (how === 5) return expectRefusal("patch", await send({ prefix: "//" }), refused("prefix"));
  const changes = {
    ...(how === 6 && { bucket: elsewhere }),
    ...(how % 2 === 1 && { prefix: `q${value % 3}/` }),
    ...(how > 7 && { enabled: value % 2 === 0 }),
    ...(value % 3 === 0 && { compression: value % 2 === 0 ? "gzip" : "none" }),
  };
  const answer = await send({ ...changes, ...(how === 6 && credentials) });
  Object.assign(destination, changes);
  expectBody("patch destination", answer, { status: 200, body: shownDestination(destination) });
  await settle(session);
  return "200 changed";
}

/**
 * Compares the log of exports with the model, newest first. Checks the objects of the last export.
 */
export async function expectExports(session: Session, limit: number): Promise<void> {
  const { model } = session;
  const all = await readPages<Record<string, unknown>>(session, `${path}/exports`, limit);
  const created = all.map((one) => String(one["created_at"]));
  compare("exports", created, created.toSorted().toReversed());
  const name = (list: unknown, number: unknown): string => `${String(list)} ${String(number)}`;
  const shown = new Map(all.map((one) => [name(one["watchlist_id"], one["run_number"]), one]));
  compare("exports", [...shown.keys()].toSorted(), [...model.exports.keys()].toSorted());
  for (const [key, { run, prefix }] of model.exports) {
    const day = iso(run.at)?.slice(0, 10);
    const folder = `${prefix}events/v=2/dt=${day}/watchlist_id=${run.list.id}/run_number=${String(run.number).padStart(8, "0")}/`;
    compare(`export ${key}`, shown.get(key), {
      id: idOf("exp"),
      object: "s3_export",
      watchlist_id: run.list.id,
      run_id: idOf("wlrun"),
      run_number: run.number,
      state: "done",
      objects: run.events.length,
      bytes: aCount,
      attempt_count: oneOf(...Array.from({ length: 40 }, (_, n) => n + 1)),
      last_error: null,
      next_attempt_at: null,
      manifest_key: `${folder}_manifest.json`,
      created_at: (at: unknown) => typeof at === "string",
      finished_at: aText,
    });
  }
  expectObjects(session);
}

/** Checks that the objects of the last export contain the bodies of its run's events. */
function expectObjects({ model, service }: Session): void {
  const last = [...model.exports.values()].at(-1);
  if (last === undefined) return;
  const { run, bucket, prefix, compression } = last;
  const objects = service.buckets.get(bucket) ?? new Map<string, Buffer>();
  const part = `/watchlist_id=${run.list.id}/run_number=${String(run.number).padStart(8, "0")}/`;
  const keys = [...objects.keys()].filter(
    (key) =>
      key.startsWith(`${prefix}events/`) && key.includes(part) && /\.jsonl(?:\.gz)?$/.test(key),
  );
  const suffix = compression === "gzip" ? ".jsonl.gz" : ".jsonl";
  require("export", keys.every((key) =>
    key.endsWith(suffix),
  ), "all objects have the compression of the run");
  const types = keys.toSorted().map((key) => {
    const bytes = objects.get(key) ?? Buffer.alloc(0);
    const line = compression === "gzip" ? gunzipSync(bytes) : bytes;
    return (JSON.parse(line.toString()) as { type: string }).type;
  });
  compare(
    "objects of an export",
    types,
    run.events.map(({ type }) => type),
  );
  require("export", [...objects.keys()].some(
    (key) => key.includes(part) && key.endsWith("_manifest.json"),
  ), "the folder has a manifest");
}

const exports = command<Drawn>({
  name: "exports",
  weight: 3,
  drawn,
  async play(session, { how, value }) {
    const { model, service } = session;
    if (how === 0) {
      const answer = await call(session, { method: "GET", path: `${path}/exports?limit=101` });
      return expectRefusal("exports", answer, refused("limit"));
    }
    const { destination } = model;
    if (how < 7 || destination === null) {
      await expectExports(session, model.exports.size > 40 ? 100 : how % 2 === 0 ? 3 : 50);
      return "200";
    }
    const now = service.now() + 100;
    const since = now - (value + 1) * 1_800_000 - 1;
    const answer = await call(session, {
      method: "POST",
      path: `${path}/backfill`,
      body: { since: iso(since) },
    });
    if (!destination.enabled) return expectRefusal("backfill", answer, conflict);
    expectBody("backfill", answer, {
      status: 202,
      body: { object: "s3_backfill", since: iso(since), until: iso(now) },
    });
    const ended = new Set(
      model.events.filter(({ at }) => at >= since && at <= now).map(({ run }) => run.list),
    );
    for (const list of ended) {
      for (const run of list.runs)
        if (run.events[0] && run.events[0].at >= since) exportRun(model, run, destination);
    }
    await settle(session);
    return "202 backfill";
  },
});

export const exportCommands: readonly Played<unknown>[] = [put, badPut, use, exports];
