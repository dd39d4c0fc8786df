import { startDeliveryServers } from "../delivery/servers.ts";
import { accountOf, type DeliveryPlaces, type DeliveryTask, type Spent } from "../delivery/task.ts";
import { reconcileDeliveries } from "../reconciled.ts";
import { startTaskProcess } from "../task-process.ts";
import type { MeasuredService, OnEnd } from "./measured-service.ts";

/**
 * Starts the process of the delivery bench that publishes and delivers events, with new servers for
 * its data. The process first publishes all events of a task, then delivers them.
 */
export async function startOwnService(receiverUrl: string, onEnd: OnEnd): Promise<MeasuredService> {
  const servers = await startDeliveryServers();
  onEnd(() => servers.stop());
  const places: DeliveryPlaces = { ...servers, receiverUrl };
  const worker = await startTaskProcess<DeliveryTask, Spent>(
    new URL("../delivery/worker.ts", import.meta.url),
    { BENCH_PLACES: JSON.stringify(places) },
  );
  onEnd(() => worker.stop());
  let cpuMs = 0;
  return {
    name: "this service",
    pid: worker.pid,
    async deliver(task) {
      const published = await worker.do({ ...task, work: "publish" });
      const delivered = await worker.do({ ...task, work: "deliver" });
      cpuMs += published.cpuMs + delivered.cpuMs;
      return published.beganAt;
    },
    cpuMs: () => Promise.resolve(cpuMs),
    check: () => reconcileDeliveries(servers.tableName, [accountOf({ to: "receiver" })]),
  };
}
