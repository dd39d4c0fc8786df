import { configs } from "../../lib/config.ts";

const { worker, step, finisher } = configs.prod.memoryMegabytes;

/** Megabytes of the functions behind the queues and the schedule, as `prod` has them. */
export const workerMegabytes = {
  "run-starter": worker,
  "run-step": step,
  "run-finisher": finisher,
  delivery: worker,
  sweeper: worker,
} as const;
