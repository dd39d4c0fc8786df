/**
 * A local world as a process of its own, with one group's handler replaced by one that does nothing.
 * Tells its parent when it is ready, and its CPU time when asked. With BENCH_WORK_MS, calls of products
 * wait so long for their source, each in an environment of its own.
 */
import { startWorld } from "../local/world.ts";
import { productsEnvironments } from "./lambda-environments.ts";

/** The group whose handler does nothing, on the same gateway as the others. */
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
