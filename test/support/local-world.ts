import type { GivenContext } from "../../lib/context.ts";
import { startWorld, type World } from "../../tools/local/world.ts";
import { openWorldFolder, removeWorldFolder } from "./world-folder.ts";

export type { World } from "../../tools/local/world.ts";

/**
 * Starts the whole service in this process, on a new data folder. `stop` deletes the folder.
 * @param context the context of the CDK app
 */
export async function startTestWorld(context: GivenContext = {}): Promise<World> {
  const dir = openWorldFolder();
  const world = await startWorld({ dir, port: 0, fresh: true, context });
  return {
    ...world,
    async stop() {
      await world.stop();
      removeWorldFolder(dir);
    },
  };
}
