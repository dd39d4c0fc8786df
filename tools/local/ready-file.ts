/**
 * The name of a file in the data folder. The file exists while a local world runs, and contains the
 * world's addresses and keys.
 */
export const readyFile = "ready.json";
