/** Receives one line of output, without a line break. */
export type Log = (line: string) => void;
