/** Reads that a session can begin before its work needs the results. */
export interface PreparedReads<Value> {
  /** Begins to read the value of an ID. The next call of `read` with this ID returns the value. */
  readonly begin: (id: string) => void;
  /**
   * Returns the value of an ID. If `begin` has started a read of this ID, waits for that read. Each
   * started read is used once. Without such a read, reads the value now.
   */
  readonly read: (id: string) => Promise<Value>;
}

/**
 * Creates prepared reads: values that `begin` starts to read before they are needed. No read has
 * started yet.
 * @param read reads the value of an ID
 */
export function preparedReads<Value>(read: (id: string) => Promise<Value>): PreparedReads<Value> {
  const begun = new Map<string, Promise<Value>>();
  return {
    begin(id) {
      const result = read(id);
      // If the session ends before it needs the result, nothing else handles an error. An unhandled
      // rejection would end the process.
      result.catch(() => undefined);
      begun.set(id, result);
    },
    read(id) {
      const result = begun.get(id);
      begun.delete(id);
      return result ?? read(id);
    },
  };
}
