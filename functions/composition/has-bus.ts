import type { Needs } from "../environment.ts";

/**
 * Returns true if the deployment has an event bus: the environment variable EVENT_BUS_NAME is not
 * `none`.
 */
export const hasBus = ({ EVENT_BUS_NAME: name }: Needs<"EVENT_BUS_NAME">): boolean =>
  name !== "none";
