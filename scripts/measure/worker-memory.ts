import { configs } from "../../lib/config.ts";

const { worker, step, finisher, delivery } = configs.prod.memoryMegabytes;

/** The memory of the workers and the sweeper in megabytes, as the stage `prod` sets it. */
export const workerMegabytes = {
  "run-starter": worker,
  "run-step": step,
  "run-finisher": finisher,
  delivery,
  sweeper: worker,
} as const;
