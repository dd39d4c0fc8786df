import { playPairsOfPart } from "./ledger-pairs.ts";

const [part = 0, parts = 1] = process.argv.slice(2).map(Number);
process.send?.(await playPairsOfPart(part, parts));
process.disconnect();
