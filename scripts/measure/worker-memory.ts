import { configs } from "../../lib/config.ts";

const { worker, step, finisher } = configs.prod.memoryMegabytes;

/** The memory of the workers and the sweeper in megabytes, as the stage `prod` sets it. */
export const workerMegabytes = {
  "run-starter": worker,
  "run-step": step,
  "run-finisher": finisher,
  delivery: worker,
  sweeper: worker,
} as const;
