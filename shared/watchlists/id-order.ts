/** Compares item IDs by their code units: the order in which DynamoDB sorts ASCII keys. */
export function compareIds(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/**
 * Sorts after every item ID, because item IDs contain only letters and digits. `prefix +
 * afterEveryId` sorts after every ID that begins with the prefix.
 */
export const afterEveryId = "~";
