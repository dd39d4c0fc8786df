/** Writes one line for the person at the terminal. */
export type Log = (line: string) => void;
