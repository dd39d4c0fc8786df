/**
 * Runs a local world in a separate process. The handler of one group is empty. Sends a message to
 * the parent process when the world is ready, and sends the used CPU time on request. With
 * BENCH_WORK_MS, each call of the products group runs in a separate environment, and the source of
 * the call responds after that many milliseconds.
 */
import { startWorld } from "../../tools/local/world.ts";
import { productsEnvironments } from "./lambda-environments.ts";

/** The group of paths whose calls an empty handler receives. */
export const bareGroup = "structured";

const bare = {
  createHandler: () => async () => ({
    statusCode: 200,
    headers: { "Content-Type": "application/json" },
    body: "{}",
  }),
};

const workMs = process.env["BENCH_WORK_MS"];

const moduleOf = async (name: string): Promise<unknown> => {
  if (name === bareGroup) return bare;
  if (name === "products" && workMs !== undefined) return productsEnvironments(Number(workMs));
  return import(new URL(`../../functions/${name}/handler.ts`, import.meta.url).href);
};

const world = await startWorld({
  dir: process.env["LOCAL_DIR"] ?? "",
  port: 0,
  fresh: true,
  loadHandler: moduleOf,
});
process.on("message", () => {
  const { user, system } = process.cpuUsage();
  process.send?.({ cpuMs: (user + system) / 1_000 });
});
process.once("disconnect", () => {
  void world.stop().then(() => process.exit(0));
});
process.send?.({
  baseUrl: world.baseUrl,
  environment: world.environmentOf("products"),
  dynamo: world.endpoints.dynamodb,
});
