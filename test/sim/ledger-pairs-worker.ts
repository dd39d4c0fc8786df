import { startEngine } from "./engine.ts";
import { playFaultsOfPair } from "./ledger-pairs.ts";

const engine = await startEngine();
process.on("message", (n: number) => {
  void playFaultsOfPair(engine, n).then((played) => process.send?.(played));
});
// All pairs have run, or the parent process has exited.
process.on("disconnect", () => {
  void engine.stop().then(() => process.exit(0));
});
