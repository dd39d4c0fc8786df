/** Writes one line to the terminal. */
export type Log = (line: string) => void;
