/**
 * A local world as a process of its own, with one group's handler replaced by one that does nothing.
 * Tells its parent when it is ready, and its CPU time when asked.
 */
import { startWorld } from "../local/world.ts";

/** The group whose handler does nothing, on the same gateway as the others. */
export const bareGroup = "structured";

const bare = {
  createHandler: () => async () => ({
    statusCode: 200,
    headers: { "Content-Type": "application/json" },
    body: "{}",
  }),
};

const world = await startWorld({
  dir: process.env["LOCAL_DIR"] ?? "",
  port: 0,
  fresh: true,
  loadHandler: async (name) =>
    name === bareGroup
      ? bare
      : (import(
          new URL(`../../functions/${name}/handler.ts`, import.meta.url).href
        ) as Promise<unknown>),
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
