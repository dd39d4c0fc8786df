import { chmodSync, chownSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../../../tools/local/free-port.ts";
import { acceptsConnections, type StartedProcess, startProcess } from "./child-process.ts";
import type { OnEnd } from "./measured-service.ts";
import { type UserIds, userOf } from "./server-user.ts";
import type { Tools } from "./tools.ts";

/** The addresses of the servers that Outpost needs, all on loopback. */
export interface Infrastructure {
  readonly redisPort: number;
  readonly postgresUrl: string;
  readonly rabbitmqUrl: string;
}

interface Place {
  /** The folder of all data and logs. */
  readonly folder: string;
  readonly onEnd: OnEnd;
}

/**
 * Starts Redis, Postgres and RabbitMQ on free ports with their default settings, except that all
 * data are in a temporary folder and that Redis writes no snapshots.
 * @throws Error if a server is not ready within 60 s
 */
export async function startInfrastructure(tools: Tools, place: Place): Promise<Infrastructure> {
  return {
    redisPort: await startRedis(tools, place),
    postgresUrl: await startPostgres(tools, place),
    rabbitmqUrl: await startRabbitmq(tools, place),
  };
}

async function startRedis({ redis }: Tools, { folder, onEnd }: Place): Promise<number> {
  const port = await freePort();
  const args = ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--dir", folder];
  const server = startProcess({ name: "redis-server", file: redis, args, folder });
  onEnd(() => server.stop());
  await server.untilReady(() => acceptsConnections(port));
  return port;
}

async function startPostgres({ postgres, initdb }: Tools, place: Place): Promise<string> {
  // Postgres refuses to run as root.
  const user = userOf({ userId: process.getuid?.() ?? 0, passwd: readPasswd() });
  const folder = ownFolder(place.folder, "postgres", user);
  const data = join(folder, "data");
  const settings = ["-U", "outpost", "-A", "trust", "-E", "UTF8", "--locale=C"];
  const creation = startProcess({
    name: "initdb",
    file: initdb,
    args: ["-D", data, ...settings],
    folder,
    user,
  });
  place.onEnd(() => creation.stop());
  await creation.untilDone();

  const port = await freePort();
  const listen = ["-h", "127.0.0.1", "-p", String(port), "-c", "unix_socket_directories="];
  const server = startProcess({
    name: "postgres",
    file: postgres,
    args: ["-D", data, ...listen],
    folder,
    user,
  });
  // SIGINT ends all connections; SIGTERM would wait for their clients.
  place.onEnd(() => server.stop("SIGINT"));
  await server.untilReady(() => isPostgresReady(data));
  return `postgres://outpost@127.0.0.1:${port}/postgres?sslmode=disable`;
}

/** Returns true once the last line of Postgres's PID file is `ready`, as `pg_ctl` checks it. */
function isPostgresReady(data: string): boolean {
  try {
    const lines = readFileSync(join(data, "postmaster.pid"), "utf8").trimEnd().split("\n");
    return lines.at(-1)?.trim() === "ready";
  } catch {
    return false;
  }
}

async function startRabbitmq({ rabbitmq, epmd }: Tools, place: Place): Promise<string> {
  const folder = ownFolder(place.folder, "rabbitmq", {});
  const [port, distributionPort, epmdPort] = [await freePort(), await freePort(), await freePort()];
  // Without a port mapper, Erlang starts one in the background, which would stay after the bench.
  const mapper = startProcess({
    name: "epmd",
    file: epmd,
    args: ["-address", "127.0.0.1", "-port", String(epmdPort)],
    folder,
  });
  place.onEnd(() => mapper.stop());
  await mapper.untilReady(() => acceptsConnections(epmdPort));

  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const server: StartedProcess = startProcess({
    name: "rabbitmq-server",
    file: rabbitmq,
    args: [],
    folder,
    variables: {
      HOME: folder,
      ERL_EPMD_ADDRESS: "127.0.0.1",
      ERL_EPMD_PORT: String(epmdPort),
      RABBITMQ_NODENAME: `bench-${port}@localhost`,
      RABBITMQ_NODE_IP_ADDRESS: "127.0.0.1",
      RABBITMQ_NODE_PORT: String(port),
      RABBITMQ_DIST_PORT: String(distributionPort),
      RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: "-kernel inet_dist_use_interface {127,0,0,1}",
      RABBITMQ_MNESIA_BASE: join(folder, "mnesia"),
      RABBITMQ_LOG_BASE: folder,
      RABBITMQ_CONF_ENV_FILE: file("rabbitmq-env.conf", ""),
      RABBITMQ_CONFIG_FILE: file("rabbitmq.conf", ""),
      RABBITMQ_ENABLED_PLUGINS_FILE: file("enabled_plugins", "[].\n"),
    },
  });
  place.onEnd(() => server.stop());
  await server.untilReady(() => acceptsConnections(port));
  return `amqp://guest:guest@127.0.0.1:${port}`;
}

const readPasswd = (): string => readFileSync("/etc/passwd", "utf8");

/**
 * Creates a folder for a server. If the server runs as another user, makes this user the owner of
 * the folder.
 */
function ownFolder(parent: string, name: string, { uid, gid }: UserIds): string {
  const folder = join(parent, name);
  mkdirSync(folder, { mode: 0o700 });
  if (uid === undefined || gid === undefined) return folder;
  chownSync(folder, uid, gid);
  // Lets the other user pass through the parent folder to its own folder.
  chmodSync(parent, 0o711);
  return folder;
}
