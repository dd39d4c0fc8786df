import { type PairsMessage, playPairsOfPart } from "./ledger-pairs.ts";

const [part = 0, parts = 1] = process.argv.slice(2).map(Number);
const send = (message: PairsMessage): void => {
  process.send?.(message);
};
send(await playPairsOfPart(part, parts, (begun) => send({ begun })));
process.disconnect();
