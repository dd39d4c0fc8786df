import { startEngine } from "./engine.ts";
import { playFaultsOfPair } from "./ledger-pairs.ts";

const engine = await startEngine();
process.on("message", (n: number) => {
  void playFaultsOfPair(engine, n).then((played) => process.send?.(played));
});
// The parent process disconnects when all pairs have run, and when it exits.
process.on("disconnect", () => {
  void engine.stop().then(() => process.exit(0));
});
